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
import { ChangeServerDialog, POLL_MS } from './server-dialogs.tsx';
import { ServerTools } from './server-tools.tsx';
import { UpstreamState } from './tool-state.tsx';

/** One MCP server: how it is reached, and its tools, to review and approve. */
export default function ServerPage() {
  const { projectId, mayManage } = useProject();
  const { upstreamId = '' } = useParams();
  const query = useQuery(upstreamQuery(projectId, upstreamId));
  const { data: upstream } = query;
  const back = { to: `/projects/${projectId}/tools`, label: 'Tools' };
  return (
    <ProjectPage
      title={upstream?.name ?? 'Server'}
      back={back}
      actions={upstream && mayManage && <Actions upstream={upstream} />}
    >
      <ItemState query={query} what="server" icon="tool" back={back} />
      {upstream && (
        <>
          {upstream.error !== null && upstream.failing_since !== null && (
            <Notice tone="bad" title="It cannot be reached.">
              <p>
                <InertText text={upstream.error} /> Since <DateTime at={upstream.failing_since} />. It is
                tried again when somebody calls one of its tools.
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

type Asked = 'change' | 'remove' | null;

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
        Look again
      </Button>
      <Button onClick={() => setAsked('change')}>Change</Button>
      <Button tone="deny" icon="trash" onClick={() => setAsked('remove')}>
        Remove
      </Button>
      {asked === 'change' && <ChangeServerDialog upstream={upstream} onClose={close} />}
      {asked === 'remove' && (
        <ConfirmDialog
          title={`Remove ${upstream.name}?`}
          confirmLabel="Remove the server"
          change={async () => {
            await api.delete(upstreamPath(projectId, upstream.id));
            await navigate(`/projects/${projectId}/tools`);
          }}
          done="Removed the server."
          touched={toolsKey(projectId)}
          onClose={close}
        >
          <p>
            Its tools are offered no more, and what was approved of them and is sent to it is forgotten. What
            was asked for already and waits for people is refused when it comes back.
          </p>
        </ConfirmDialog>
      )}
    </>
  );
}

function Server({ upstream }: { upstream: Upstream }) {
  const { kind, target, secret_names: secretNames, server } = upstream;
  const isHttp = kind === 'http';
  return (
    <Card title="Server">
      <Facts
        of={{
          State: <UpstreamState upstream={upstream} />,
          [isHttp ? 'Host' : 'Command of the gate’s machine']: <InertText text={target} />,
          [isHttp ? 'Headers sent to it' : 'Variables it is given']:
            secretNames.length === 0 ? 'none' : <InertText text={secretNames.join(', ')} />,
          'It says it is': server ? (
            <InertText text={`${server.name} ${server.version}, MCP ${server.protocol}`} />
          ) : (
            'nothing yet'
          ),
          'Last seen': upstream.looked_at ? <RelativeTime at={upstream.looked_at} /> : 'never',
          'Risk of its tools': <RiskBadge tier={upstream.risk_tier} />,
          'A call may take': `${upstream.timeout_seconds} seconds`,
          Id: <code>{upstream.id}</code>,
        }}
      />
    </Card>
  );
}
