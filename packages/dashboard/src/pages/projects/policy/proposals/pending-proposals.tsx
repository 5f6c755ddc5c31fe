import { useQuery } from '@tanstack/react-query';
import { proposalsQuery } from '../policy-queries.ts';
import type { Policy } from '../wire.ts';
import { ProposalCard } from './proposal-card.tsx';

/** What waits for a second person, above everything else of the page. */
export function PendingProposals({ projectId, inForce }: { projectId: string; inForce: Policy }) {
  const { data } = useQuery(proposalsQuery(projectId));
  const pending = data?.data.filter(({ status }) => status === 'pending') ?? [];
  return pending.map((proposal) => (
    <ProposalCard key={proposal.id} projectId={projectId} proposal={proposal} inForce={inForce} />
  ));
}
