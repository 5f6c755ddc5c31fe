import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useParams } from 'react-router';
import { ApiError } from '../../../api/api-error.ts';
import { api } from '../../../api/client.ts';
import { useRole } from '../../../api/session.ts';
import { InertText } from '../../../inert-text/inert-text.tsx';
import { RiskBadge, StatusBadge } from '../../../ui/badge.tsx';
import { Button, LinkButton } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { ErrorPanel } from '../../../ui/notice.tsx';
import { DateTime, RelativeTime } from '../../../ui/time.tsx';
import { KeyTable } from '../keys/key-table.tsx';
import { MakeKeyDialog } from '../keys/make-key-dialog.tsx';
import { ItemState } from '../project-frame/item-state.tsx';
import { ProjectPage } from '../project-frame/project-page.tsx';
import { keysQuery, projectPath, useProjectId } from '../project-frame/queries.ts';
import type { Agent, UpdatedAgent } from '../project-frame/wire.ts';
import { AgentActions } from './agent-actions.tsx';
import { AgentForm, toDraft, toProfile } from './agent-form.tsx';
import { AgentOwner } from './agent-owner.tsx';
import { PendingChanges } from './pending-changes.tsx';
import { tellOfUpdate } from './tell-of-update.ts';

/** One agent: what is known of it, its keys, and what it asked for. */
export default function AgentPage() {
  const projectId = useProjectId();
  const { agentId = '' } = useParams();
  const { isAtLeast } = useRole(projectId);
  const query = useQuery({
    queryKey: ['projects', projectId, 'agents', agentId],
    queryFn: ({ signal }) =>
      api.get<Agent>(projectPath(projectId, `/agents/${encodeURIComponent(agentId)}`), { signal }),
  });
  const { data: agent } = query;
  const mayManage = isAtLeast('admin');
  const back = { to: `/projects/${projectId}/agents`, label: 'Agents' };
  return (
    <ProjectPage
      title="Agent"
      back={back}
      actions={agent && mayManage && <AgentActions projectId={projectId} agent={agent} />}
    >
      <ItemState query={query} what="agent" icon="agent" back={back} />
      {agent && (
        <>
          <PendingChanges projectId={projectId} agent={agent} />
          <Facts projectId={projectId} agent={agent} mayManage={mayManage && agent.status !== 'revoked'} />
          {mayManage && <AgentKeys projectId={projectId} agent={agent} />}
        </>
      )}
    </ProjectPage>
  );
}

function Facts({ projectId, agent, mayManage }: { projectId: string; agent: Agent; mayManage: boolean }) {
  const [isEditing, setEditing] = useState(false);
  const requests = new URLSearchParams({ project: projectId, source: agent.name });
  return (
    <Card
      title={<InertText text={agent.name} />}
      actions={
        !isEditing && (
          <>
            <LinkButton icon="history" to={`/history?${requests}`}>
              Its requests
            </LinkButton>
            {mayManage && <Button onClick={() => setEditing(true)}>Edit</Button>}
          </>
        )
      }
    >
      {isEditing ? (
        <Edit projectId={projectId} agent={agent} onDone={() => setEditing(false)} />
      ) : (
        <dl className="facts">
          <dt>Status</dt>
          <dd>
            <StatusBadge status={agent.status} />
          </dd>
          <dt>Owner</dt>
          <dd>
            <AgentOwner projectId={projectId} agent={agent} mayManage={mayManage} />
          </dd>
          <dt>Last seen</dt>
          <dd>{agent.last_seen_at ? <RelativeTime at={agent.last_seen_at} /> : 'never'}</dd>
          <dt>Minimum risk</dt>
          <dd>
            <RiskBadge tier={agent.risk_tier} />
          </dd>
          <dt>Framework</dt>
          <dd>{agent.framework === null ? 'not said' : <InertText text={agent.framework} />}</dd>
          <dt>Labels</dt>
          <dd>
            <Labels labels={agent.labels} />
          </dd>
          {agent.fingerprint !== null && (
            <>
              <dt>Fingerprint</dt>
              <dd>
                <InertText text={agent.fingerprint} />
              </dd>
            </>
          )}
          <dt>Registered</dt>
          <dd>
            <DateTime at={agent.created_at} />
          </dd>
          <dt>Id</dt>
          <dd>
            <code>{agent.id}</code>
          </dd>
        </dl>
      )}
    </Card>
  );
}

function Labels({ labels }: { labels: Agent['labels'] }) {
  const entries = Object.entries(labels);
  if (entries.length === 0) return 'none';
  return entries.map(([name, value]) => (
    <div key={name}>
      <InertText text={name} />: <InertText text={String(value)} />
    </div>
  ));
}

function Edit({ projectId, agent, onDone }: { projectId: string; agent: Agent; onDone: () => void }) {
  const [draft, setDraft] = useState(() => toDraft(agent));
  const queryClient = useQueryClient();
  const save = useMutation({
    mutationFn: () =>
      api.patch<UpdatedAgent>(projectPath(projectId, `/agents/${agent.id}`), toProfile(draft, agent.labels)),
    onSuccess: async (updated) => {
      await queryClient.invalidateQueries({ queryKey: ['projects', projectId] });
      tellOfUpdate(updated);
      onDone();
    },
  });
  const hasFields = save.error instanceof ApiError && save.error.fields.length > 0;
  return (
    <div className="stack">
      {!hasFields && <ErrorPanel error={save.error} />}
      <AgentForm
        draft={draft}
        onChange={setDraft}
        onSubmit={() => save.mutate()}
        error={save.error}
        actions={
          <>
            <Button type="submit" tone="primary" busy={save.isPending}>
              Save
            </Button>
            <Button onClick={onDone}>Cancel</Button>
          </>
        }
      />
    </div>
  );
}

function AgentKeys({ projectId, agent }: { projectId: string; agent: Agent }) {
  const { data, error } = useQuery(keysQuery(projectId));
  const [isMaking, setMaking] = useState(false);
  const keys = data?.items.filter((key) => key.agent_id === agent.id && key.revoked_at === null) ?? [];
  return (
    <section className="stack tight">
      <div className="row apart">
        <h2>Keys</h2>
        {agent.status === 'active' && (
          <Button icon="plus" onClick={() => setMaking(true)}>
            New key for this agent
          </Button>
        )}
      </div>
      <ErrorPanel error={error} />
      {keys.length > 0 && <KeyTable projectId={projectId} keys={keys} />}
      {data && keys.length === 0 && <p className="soft">It has no key, so it can ask for nothing.</p>}
      {isMaking && (
        <MakeKeyDialog projectId={projectId} agentId={agent.id} onClose={() => setMaking(false)} />
      )}
    </section>
  );
}
