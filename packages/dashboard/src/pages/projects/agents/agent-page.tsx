import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useParams } from 'react-router';
import { api } from '../../../api/client.ts';
import { renew } from '../../../api/query-client.ts';
import { reading } from '../../../api/reading.ts';
import { useForm } from '../../../api/use-form.ts';
import { InertText } from '../../../inert-text/inert-text.tsx';
import { RiskBadge, StatusBadge } from '../../../ui/badge.tsx';
import { Button, LinkButton } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { Facts } from '../../../ui/facts.tsx';
import { ErrorPanel } from '../../../ui/notice.tsx';
import { DateTime, RelativeTime } from '../../../ui/time.tsx';
import { KeyTable } from '../keys/key-table.tsx';
import { MakeKeyDialog } from '../keys/make-key-dialog.tsx';
import { ItemState } from '../project-frame/item-state.tsx';
import { ProjectPage } from '../project-frame/project-page.tsx';
import { keysQuery, useProject, useProjectId } from '../project-frame/queries.ts';
import type { Agent, UpdatedAgent } from '../project-frame/wire.ts';
import { AgentActions } from './agent-actions.tsx';
import { AgentForm, toDraft, toProfile } from './agent-form.tsx';
import { AgentOwner } from './agent-owner.tsx';
import * as words from './agents.words.ts';
import { PendingChanges } from './pending-changes.tsx';
import { toastUpdate } from './toast-update.ts';

/** One agent: its profile, its keys and its requests. */
export default function AgentPage() {
  const { projectId, mayManage, path } = useProject();
  const { agentId = '' } = useParams();
  const key = ['projects', projectId, 'agents', agentId];
  const query = useQuery(reading<Agent>(key, path(`/agents/${encodeURIComponent(agentId)}`)));
  const { data: agent } = query;
  const back = { to: `/projects/${projectId}/agents`, label: words.title };
  return (
    <ProjectPage
      title={words.properties.agent}
      back={back}
      actions={agent && mayManage && <AgentActions agent={agent} />}
    >
      <ItemState query={query} what={words.item} icon="agent" back={back} />
      {agent && (
        <>
          <PendingChanges agent={agent} />
          <Profile agent={agent} mayManage={mayManage && agent.status !== 'revoked'} />
          {mayManage && <AgentKeys agent={agent} />}
        </>
      )}
    </ProjectPage>
  );
}

function Profile({ agent, mayManage }: { agent: Agent; mayManage: boolean }) {
  const [isEditing, setEditing] = useState(false);
  const requests = new URLSearchParams({ project: useProjectId(), source: agent.name });
  return (
    <Card
      title={<InertText text={agent.name} />}
      actions={
        !isEditing && (
          <>
            <LinkButton icon="history" to={`/history?${requests}`}>
              {words.viewRequests}
            </LinkButton>
            {mayManage && <Button onClick={() => setEditing(true)}>{words.edit}</Button>}
          </>
        )
      }
    >
      {isEditing ? (
        <Edit agent={agent} onDone={() => setEditing(false)} />
      ) : (
        <Facts
          of={{
            [words.properties.status]: <StatusBadge status={agent.status} />,
            [words.properties.owner]: <AgentOwner agent={agent} mayManage={mayManage} />,
            [words.properties.lastSeen]: agent.last_seen_at ? (
              <RelativeTime at={agent.last_seen_at} />
            ) : (
              words.never
            ),
            [words.properties.risk]: <RiskBadge tier={agent.risk_tier} />,
            [words.properties.framework]:
              agent.framework === null ? words.notSet : <InertText text={agent.framework} />,
            [words.properties.labels]: <Labels labels={agent.labels} />,
            [words.properties.fingerprint]: agent.fingerprint !== null && (
              <InertText text={agent.fingerprint} />
            ),
            [words.properties.registered]: <DateTime at={agent.created_at} />,
            [words.properties.id]: <code>{agent.id}</code>,
          }}
        />
      )}
    </Card>
  );
}

function Labels({ labels }: { labels: Agent['labels'] }) {
  const entries = Object.entries(labels);
  if (entries.length === 0) return words.none;
  return entries.map(([name, value]) => (
    <div key={name}>
      <InertText text={name} />: <InertText text={String(value)} />
    </div>
  ));
}

function Edit({ agent, onDone }: { agent: Agent; onDone: () => void }) {
  const { projectId, path } = useProject();
  const form = useForm(
    () => toDraft(agent),
    async (draft) => {
      const profile = toProfile(draft, agent.labels);
      const updated = await api.patch<UpdatedAgent>(path(`/agents/${agent.id}`), profile);
      await renew(['projects', projectId]);
      toastUpdate(updated);
      onDone();
    },
  );
  return (
    <AgentForm form={form} submitLabel={words.save}>
      <Button onClick={onDone}>{words.cancel}</Button>
    </AgentForm>
  );
}

function AgentKeys({ agent }: { agent: Agent }) {
  const { data, error } = useQuery(keysQuery(useProjectId()));
  const [isMaking, setMaking] = useState(false);
  const keys = data?.items.filter((key) => key.agent_id === agent.id && key.revoked_at === null) ?? [];
  return (
    <section className="stack tight">
      <div className="row apart">
        <h2>{words.keys.title}</h2>
        {agent.status === 'active' && (
          <Button icon="plus" onClick={() => setMaking(true)}>
            {words.keys.create}
          </Button>
        )}
      </div>
      <ErrorPanel error={error} />
      {keys.length > 0 && (
        <Card flush>
          <KeyTable keys={keys} />
        </Card>
      )}
      {data && keys.length === 0 && <p className="soft">{words.keys.none}</p>}
      {isMaking && <MakeKeyDialog agentId={agent.id} onClose={() => setMaking(false)} />}
    </section>
  );
}
