import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { isRefusal } from '../../../api/api-error.ts';
import { api } from '../../../api/client.ts';
import { projectPath } from '../project-frame/queries.ts';
import type { PageOf } from '../project-frame/wire.ts';
import type { Policy, PolicyCheck, PolicyProposal, ShadowDivergences, ShadowPolicy } from './wire.ts';

const policies = (projectId: string, rest = '') => projectPath(projectId, `/policies${rest}`);

/** Everything about the policy of a project: a change of it renews all. */
export const policyKey = (projectId: string) => ['projects', projectId, 'policy'];

export function policyQuery(projectId: string) {
  return queryOptions({
    queryKey: [...policyKey(projectId), 'in force'],
    queryFn: ({ signal }) => api.get<Policy>(policies(projectId), { signal }),
  });
}

export function versionsQuery(projectId: string) {
  return infiniteQueryOptions({
    queryKey: [...policyKey(projectId), 'versions'],
    queryFn: ({ signal, pageParam }) =>
      api.get<PageOf<Policy>>(policies(projectId, '/versions'), {
        query: { limit: 20, cursor: pageParam },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.next_cursor,
  });
}

/** Newest first; enough to say of each version shown who approved it. */
export function proposalsQuery(projectId: string) {
  return queryOptions({
    queryKey: [...policyKey(projectId), 'proposals'],
    queryFn: ({ signal }) =>
      api.get<PageOf<PolicyProposal>>(policies(projectId, '/proposals'), { query: { limit: 100 }, signal }),
    refetchInterval: 30_000,
  });
}

/** `text` is what the answer is about: what is typed meanwhile is another question. */
export function checkQuery(projectId: string, text: string, document: unknown) {
  return queryOptions({
    queryKey: [...policyKey(projectId), 'check', text],
    queryFn: async ({ signal }) => ({
      text,
      ...(await api.post<PolicyCheck>(policies(projectId, '/check'), { policy: document }, { signal })),
    }),
    gcTime: 60_000,
    staleTime: 30_000,
  });
}

/** Null: there is none. */
export function shadowQuery(projectId: string) {
  return queryOptions({
    queryKey: [...policyKey(projectId), 'shadow'],
    queryFn: async ({ signal }) => {
      try {
        return await api.get<ShadowPolicy>(policies(projectId, '/shadow'), { signal });
      } catch (error) {
        if (isRefusal(error, 'not_found')) return null;
        throw error;
      }
    },
    refetchInterval: ({ state }) => (state.data ? 3_000 : false),
  });
}

export function divergencesQuery(projectId: string) {
  return queryOptions({
    queryKey: [...policyKey(projectId), 'divergences'],
    queryFn: ({ signal }) =>
      api.get<ShadowDivergences>(policies(projectId, '/shadow/divergences'), {
        query: { limit: 20 },
        signal,
      }),
    refetchInterval: 3_000,
  });
}
