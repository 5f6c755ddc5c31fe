import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { useRole } from '../../../api/session.ts';
import { InertText } from '../../../inert-text/inert-text.tsx';
import { RiskBadge, StatusBadge } from '../../../ui/badge.tsx';
import { LinkButton } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { ErrorPanel, Notice } from '../../../ui/notice.tsx';
import { type Column, Table } from '../../../ui/table.tsx';
import { RelativeTime } from '../../../ui/time.tsx';
import { Waiting } from '../../../ui/waiting.tsx';
import { ProjectPage } from '../project-frame/project-page.tsx';
import { agentsQuery, useProjectId } from '../project-frame/queries.ts';
import type { Agent } from '../project-frame/wire.ts';
import { AgentActions } from './agent-actions.tsx';

/** Who asks for approvals here. */
export default function AgentsPage() {
  const projectId = useProjectId();
  const { isAtLeast } = useRole(projectId);
  const { data, error, isPending, refetch } = useQuery(agentsQuery(projectId));
  const register = isAtLeast('admin') && (
    <LinkButton to={`/projects/${projectId}/agents/register`} tone="primary" icon="plus">
      Register an agent
    </LinkButton>
  );
  return (
    <ProjectPage
      title="Agents"
      lead="Programs that ask before they act. Each is known by its name, in requests and in the record."
      actions={data && data.items.length > 0 && register}
    >
      <ErrorPanel error={error} onRetry={refetch} />
      {isPending && <Waiting />}
      {data?.items.length === 0 && (
        <Card>
          <EmptyState
            icon="agent"
            title="No agents yet"
            lead={
              isAtLeast('admin')
                ? 'Register the first one: it gets a key, and you a command that sends its first request.'
                : 'Admins and owners register agents.'
            }
            actions={register}
          />
        </Card>
      )}
      {data && data.items.length > 0 && <AgentTable projectId={projectId} agents={data.items} />}
      {data?.isCut && <Notice>Only the newest {data.items.length} agents are shown.</Notice>}
    </ProjectPage>
  );
}

function AgentTable({ projectId, agents }: { projectId: string; agents: readonly Agent[] }) {
  const { isAtLeast } = useRole(projectId);
  const columns: Column<Agent>[] = [
    {
      key: 'name',
      header: 'Agent',
      primary: true,
      cell: ({ id, name }) => (
        <Link to={`/projects/${projectId}/agents/${id}`}>
          <InertText text={name} />
        </Link>
      ),
    },
    { key: 'status', header: 'Status', cell: ({ status }) => <StatusBadge status={status} /> },
    {
      key: 'framework',
      header: 'Framework',
      cell: ({ framework }) =>
        framework === null ? <span className="soft">not said</span> : <InertText text={framework} />,
    },
    { key: 'risk', header: 'Minimum risk', cell: ({ risk_tier: tier }) => <RiskBadge tier={tier} /> },
    {
      key: 'seen',
      header: 'Last seen',
      cell: ({ last_seen_at: at }) => (at ? <RelativeTime at={at} /> : <span className="soft">never</span>),
    },
  ];
  if (isAtLeast('admin')) {
    columns.push({
      key: 'actions',
      header: 'What can be done',
      actions: true,
      cell: (agent) => <AgentActions projectId={projectId} agent={agent} size="s" />,
    });
  }
  return (
    <Card flush>
      <Table caption="Agents of the project" columns={columns} rows={agents} rowKey={({ id }) => id} />
    </Card>
  );
}
