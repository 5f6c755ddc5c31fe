/** Policy changes that need a second approval from the signed-in person. One call covers all of their projects. */
import { queryOptions, useQuery } from '@tanstack/react-query';
import { api } from './client.ts';
import { useSignedIn } from './session.ts';
import type { Wire } from './wire.ts';

type WaitingProposal = Wire<'WaitingProposals'>['data'][number];

export const waitingProposalsQuery = queryOptions({
  queryKey: ['waiting-proposals'],
  queryFn: ({ signal }) => api.get<Wire<'WaitingProposals'>>('/console/policy-proposals', { signal }),
  // Pages that follow the live stream learn of a change at once.
  staleTime: 30_000,
  refetchInterval: 60_000,
});

/** Oldest first in each project. The query is disabled for people who cannot change any policy. */
export function useWaitingProposals(): readonly WaitingProposal[] {
  const { memberships } = useSignedIn();
  const enabled = memberships.some(({ role }) => role === 'admin' || role === 'owner');
  const { data } = useQuery({ ...waitingProposalsQuery, enabled });
  return enabled ? (data?.data ?? []) : [];
}
