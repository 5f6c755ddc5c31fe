import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { InertText } from '../../../inert-text/inert-text.tsx';
import { Notice } from '../../../ui/notice.tsx';
import { RelativeTime } from '../../../ui/time.tsx';
import { proposalsQuery } from '../policy/policy-queries.ts';
import { sayProperty } from '../policy/proposals/agent-change.tsx';
import { useProjectId } from '../project-frame/queries.ts';
import type { Agent } from '../project-frame/wire.ts';
import * as words from './agents.words.ts';

/** Changes to this agent that another person must approve. Until then, the page shows the old values. */
export function PendingChanges({ agent }: { agent: Agent }) {
  const projectId = useProjectId();
  const { data } = useQuery(proposalsQuery(projectId));
  const pending = data?.data.filter(
    (proposal) => proposal.status === 'pending' && proposal.agent?.id === agent.id,
  );
  return pending?.map((proposal) => (
    <Notice key={proposal.id} tone="warn" title={words.changePending}>
      {words.proposed(
        <InertText text={proposal.proposed_by.display} />,
        <RelativeTime at={proposal.created_at} />,
        Object.keys(proposal.agent?.after ?? {})
          .map(sayProperty)
          .join(', '),
        <Link to={`/projects/${projectId}/policy`}>{words.viewChange}</Link>,
      )}
    </Notice>
  ));
}
