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
import * as words from './agents.words.ts';

export default function AgentsPage() {
  const { projectId, mayManage } = useProject();
  const query = useQuery(agentsQuery(projectId));
  const agents = query.data?.items ?? [];
  const register = mayManage && (
    <LinkButton to={`/projects/${projectId}/agents/register`} tone="primary" icon="plus">
      {words.register}
    </LinkButton>
  );
  return (
    <ProjectPage title={words.title} lead={words.lead} actions={agents.length > 0 && register}>
      <Listing
        query={query}
        count={agents.length}
        empty={{
          icon: 'agent',
          title: words.empty.title,
          lead: mayManage ? words.empty.leadForManagers : words.empty.leadForOthers,
          actions: register,
        }}
      >
        <Table
          caption={words.agentList}
          rows={agents}
          columns={{
            [words.properties.agent]: ({ id, name }) => (
              <Link to={`/projects/${projectId}/agents/${id}`}>
                <InertText text={name} />
              </Link>
            ),
            [words.properties.status]: ({ status }) => <StatusBadge status={status} />,
            [words.properties.framework]: ({ framework }) =>
              framework === null ? (
                <span className="soft">{words.notSet}</span>
              ) : (
                <InertText text={framework} />
              ),
            [words.properties.risk]: ({ risk_tier: tier }) => <RiskBadge tier={tier} />,
            [words.properties.lastSeen]: ({ last_seen_at: at }) =>
              at ? <RelativeTime at={at} /> : <span className="soft">{words.never}</span>,
          }}
          actions={mayManage ? (agent: Agent) => <AgentActions agent={agent} size="s" /> : undefined}
        />
      </Listing>
      {query.data?.isCut && <Notice>{words.onlyNewest(agents.length)}</Notice>}
    </ProjectPage>
  );
}
