import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { InertText } from '../../../inert-text/inert-text.tsx';
import { RiskBadge, StatusBadge } from '../../../ui/badge.tsx';
import { LinkButton } from '../../../ui/button.tsx';
import { Listing } from '../../../ui/listing.tsx';
import { Notice } from '../../../ui/notice.tsx';
import { Table } from '../../../ui/table.tsx';
import { RelativeTime } from '../../../ui/time.tsx';
import { ProjectPage } from '../project-frame/project-page.tsx';
import { agentsQuery, useProject } from '../project-frame/queries.ts';
import type { Agent } from '../project-frame/wire.ts';
import { AgentActions } from './agent-actions.tsx';

export default function AgentsPage() {
  const { projectId, mayManage } = useProject();
  const query = useQuery(agentsQuery(projectId));
  const agents = query.data?.items ?? [];
  const register = mayManage && (
    <LinkButton to={`/projects/${projectId}/agents/register`} tone="primary" icon="plus">
      Register an agent
    </LinkButton>
  );
  return (
    <ProjectPage
      title="Agents"
      lead="Programs that ask before they act. Each is known by its name, in requests and in the record."
      actions={agents.length > 0 && register}
    >
      <Listing
        query={query}
        count={agents.length}
        empty={{
          icon: 'agent',
          title: 'No agents yet',
          lead: mayManage
            ? 'Register the first one: it gets a key, and you a command that sends its first request.'
            : 'Admins and owners register agents.',
          actions: register,
        }}
      >
        <Table
          caption="Agents of the project"
          rows={agents}
          columns={{
            Agent: ({ id, name }) => (
              <Link to={`/projects/${projectId}/agents/${id}`}>
                <InertText text={name} />
              </Link>
            ),
            Status: ({ status }) => <StatusBadge status={status} />,
            Framework: ({ framework }) =>
              framework === null ? <span className="soft">not said</span> : <InertText text={framework} />,
            'Minimum risk': ({ risk_tier: tier }) => <RiskBadge tier={tier} />,
            'Last seen': ({ last_seen_at: at }) =>
              at ? <RelativeTime at={at} /> : <span className="soft">never</span>,
          }}
          actions={mayManage ? (agent: Agent) => <AgentActions agent={agent} size="s" /> : undefined}
        />
      </Listing>
      {query.data?.isCut && <Notice>Only the newest {agents.length} agents are shown.</Notice>}
    </ProjectPage>
  );
}
