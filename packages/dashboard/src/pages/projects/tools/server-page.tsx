import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useNavigate, useParams } from 'react-router';
import { api } from '../../../api/client.ts';
import { renew } from '../../../api/query-client.ts';
import { useSubmit } from '../../../api/use-submit.ts';
import { InertText } from '../../../inert-text/inert-text.tsx';
import { RiskBadge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { Facts } from '../../../ui/facts.tsx';
import { ConfirmDialog } from '../../../ui/form-dialog.tsx';
import { ErrorPanel, Notice } from '../../../ui/notice.tsx';
import { DateTime, RelativeTime } from '../../../ui/time.tsx';
import { ItemState } from '../project-frame/item-state.tsx';
import { ProjectPage } from '../project-frame/project-page.tsx';
import { useProject, useProjectId } from '../project-frame/queries.ts';
import { toolsKey, type Upstream, upstreamPath, upstreamQuery } from './queries.ts';
import { EditServerDialog, POLL_MS } from './server-dialogs.tsx';
import { ServerTools } from './server-tools.tsx';
import { UpstreamState } from './tool-state.tsx';
import * as words from './tools.words.ts';

/** One MCP server: how the gate reaches it, and its tools, to review and approve. */
export default function ServerPage() {
  const { projectId, mayManage } = useProject();
  const { upstreamId = '' } = useParams();
  const query = useQuery(upstreamQuery(projectId, upstreamId));
  const { data: upstream } = query;
  const back = { to: `/projects/${projectId}/tools`, label: words.title };
  return (
    <ProjectPage
      title={upstream?.name ?? words.server}
      back={back}
      actions={upstream && mayManage && <Actions upstream={upstream} />}
    >
      <ItemState query={query} what={words.item} icon="tool" back={back} />
      {upstream && (
        <>
          {upstream.error !== null && upstream.failing_since !== null && (
            <Notice tone="bad" title={words.unreachable}>
              <p>
                {words.unreachableSince(
                  <InertText text={upstream.error} />,
                  <DateTime at={upstream.failing_since} />,
                )}
              </p>
            </Notice>
          )}
          <ServerTools upstream={upstream} mayManage={mayManage} />
          <Server upstream={upstream} />
        </>
      )}
    </ProjectPage>
  );
}

type Asked = 'edit' | 'remove' | null;

function Actions({ upstream }: { upstream: Upstream }) {
  const projectId = useProjectId();
  const [asked, setAsked] = useState<Asked>(null);
  const navigate = useNavigate();
  const poll = useSubmit(() =>
    api
      .post(upstreamPath(projectId, upstream.id, '/refresh'), undefined, { timeoutMs: POLL_MS })
      .finally(() => renew(toolsKey(projectId))),
  );
  const close = () => setAsked(null);
  return (
    <>
      <ErrorPanel error={poll.error} />
      <Button icon="refresh" busy={poll.busy} onClick={poll.submit}>
        {words.refresh}
      </Button>
      <Button onClick={() => setAsked('edit')}>{words.editServer.title}</Button>
      <Button tone="deny" icon="trash" onClick={() => setAsked('remove')}>
        {words.remove}
      </Button>
      {asked === 'edit' && <EditServerDialog upstream={upstream} onClose={close} />}
      {asked === 'remove' && (
        <ConfirmDialog
          title={words.removeTitle(upstream.name)}
          confirmLabel={words.remove}
          change={async () => {
            await api.delete(upstreamPath(projectId, upstream.id));
            await navigate(`/projects/${projectId}/tools`);
          }}
          done={words.removed}
          touched={toolsKey(projectId)}
          onClose={close}
        >
          <p>{words.removeConsequence}</p>
        </ConfirmDialog>
      )}
    </>
  );
}

function Server({ upstream }: { upstream: Upstream }) {
  const { kind, target, secret_names: secretNames, server } = upstream;
  const isHttp = kind === 'http';
  return (
    <Card title={words.properties.server}>
      <Facts
        of={{
          [words.properties.state]: <UpstreamState upstream={upstream} />,
          [isHttp ? words.properties.host : words.properties.command]: <InertText text={target} />,
          [isHttp ? words.properties.headers : words.properties.variables]:
            secretNames.length === 0 ? words.none : <InertText text={secretNames.join(', ')} />,
          [words.properties.selfReported]: server ? (
            <InertText text={`${server.name} ${server.version}, MCP ${server.protocol}`} />
          ) : (
            words.notReached
          ),
          [words.properties.lastReached]: upstream.looked_at ? (
            <RelativeTime at={upstream.looked_at} />
          ) : (
            words.never
          ),
          [words.properties.defaultRisk]: <RiskBadge tier={upstream.risk_tier} />,
          [words.properties.timeLimit]: words.timeLimit(upstream.timeout_seconds),
          [words.properties.id]: <code>{upstream.id}</code>,
        }}
      />
    </Card>
  );
}
