import { useQuery } from '@tanstack/react-query';
import { useProjectId } from '../../project-frame/queries.ts';
import { proposalsQuery } from '../policy-queries.ts';
import type { Policy } from '../wire.ts';
import { ProposalCard } from './proposal-card.tsx';

/** Policy changes that need a second approval, above everything else on the page. */
export function PendingProposals({ active }: { active: Policy }) {
  const { data } = useQuery(proposalsQuery(useProjectId()));
  const pending = data?.data.filter(({ status }) => status === 'pending') ?? [];
  return pending.map((proposal) => <ProposalCard key={proposal.id} proposal={proposal} active={active} />);
}
