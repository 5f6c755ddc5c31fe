import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useNavigate, useParams } from 'react-router';
import { api } from '../../../api/client.ts';
import { useRole } from '../../../api/session.ts';
import { InertText } from '../../../inert-text/inert-text.tsx';
import { RiskBadge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { ErrorPanel, Notice } from '../../../ui/notice.tsx';
import { DateTime, RelativeTime } from '../../../ui/time.tsx';
import { ConfirmChange } from '../project-frame/confirm-change.tsx';
import { ItemState } from '../project-frame/item-state.tsx';
import { ProjectPage } from '../project-frame/project-page.tsx';
import { useProjectId } from '../project-frame/queries.ts';
import { toolsKey, type Upstream, upstreamPath, upstreamQuery } from './queries.ts';
import { ChangeServerDialog, POLL_MS } from './server-dialogs.tsx';
import { ServerTools } from './server-tools.tsx';
import { UpstreamState } from './tool-state.tsx';

/** One server of others: how it is reached, and each of its tools, to be looked at and approved. */
export default function ServerPage() {
  const projectId = useProjectId();
  const { upstreamId = '' } = useParams();
  const query = useQuery(upstreamQuery(projectId, upstreamId));
  const { data: upstream } = query;
  const back = { to: `/projects/${projectId}/tools`, label: 'Tools' };
  const mayManage = useRole(projectId).isAtLeast('admin');
  return (
    <ProjectPage
      title={upstream?.name ?? 'Server'}
      back={back}
      actions={upstream && mayManage && <Actions projectId={projectId} upstream={upstream} />}
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
          <ServerTools projectId={projectId} upstream={upstream} mayManage={mayManage} />
          <Facts upstream={upstream} />
        </>
      )}
    </ProjectPage>
  );
}

type Asked = 'change' | 'remove' | null;

function Actions({ projectId, upstream }: { projectId: string; upstream: Upstream }) {
  const [asked, setAsked] = useState<Asked>(null);
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const poll = useMutation({
    mutationFn: () =>
      api.post(upstreamPath(projectId, upstream.id, '/refresh'), undefined, { timeoutMs: POLL_MS }),
    onSettled: () => queryClient.invalidateQueries({ queryKey: toolsKey(projectId) }),
  });
  const close = () => setAsked(null);
  return (
    <>
      <ErrorPanel error={poll.error} />
      <Button icon="refresh" busy={poll.isPending} onClick={() => poll.mutate()}>
        Look again
      </Button>
      <Button onClick={() => setAsked('change')}>Change</Button>
      <Button tone="deny" icon="trash" onClick={() => setAsked('remove')}>
        Remove
      </Button>
      {asked === 'change' && <ChangeServerDialog projectId={projectId} upstream={upstream} onClose={close} />}
      {asked === 'remove' && (
        <ConfirmChange
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
        </ConfirmChange>
      )}
    </>
  );
}

function Facts({ upstream }: { upstream: Upstream }) {
  return (
    <Card title="Server">
      <dl className="facts">
        <dt>State</dt>
        <dd>
          <UpstreamState upstream={upstream} />
        </dd>
        <dt>{upstream.kind === 'http' ? 'Host' : 'Command of the gate’s machine'}</dt>
        <dd>
          <InertText text={upstream.target} />
        </dd>
        <dt>{upstream.kind === 'http' ? 'Headers sent to it' : 'Variables it is given'}</dt>
        <dd>
          {upstream.secret_names.length === 0 ? (
            'none'
          ) : (
            <InertText text={upstream.secret_names.join(', ')} />
          )}
        </dd>
        <dt>It says it is</dt>
        <dd>
          {upstream.server ? (
            <InertText
              text={`${upstream.server.name} ${upstream.server.version}, MCP ${upstream.server.protocol}`}
            />
          ) : (
            'nothing yet'
          )}
        </dd>
        <dt>Last seen</dt>
        <dd>{upstream.looked_at ? <RelativeTime at={upstream.looked_at} /> : 'never'}</dd>
        <dt>Risk of its tools</dt>
        <dd>
          <RiskBadge tier={upstream.risk_tier} />
        </dd>
        <dt>A call may take</dt>
        <dd>{upstream.timeout_seconds} seconds</dd>
        <dt>Id</dt>
        <dd>
          <code>{upstream.id}</code>
        </dd>
      </dl>
    </Card>
  );
}
