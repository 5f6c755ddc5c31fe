import { queryOptions } from '@tanstack/react-query';
import { isRefusal } from '../../../api/api-error.ts';
import { api } from '../../../api/client.ts';
import { type PageOf, reading, readingPages } from '../../../api/reading.ts';
import { projectPath } from '../project-frame/queries.ts';
import type { Policy, PolicyCheck, PolicyProposal, ShadowDivergences, ShadowPolicy } from './wire.ts';

const policies = (projectId: string, rest = '') => projectPath(projectId, `/policies${rest}`);

/** Everything about the policy of a project: a change of it renews all. */
export const policyKey = (projectId: string) => ['projects', projectId, 'policy'];

export const policyQuery = (projectId: string) =>
  reading<Policy>([...policyKey(projectId), 'in force'], policies(projectId));

export const versionsQuery = (projectId: string) =>
  readingPages<PageOf<Policy>>([...policyKey(projectId), 'versions'], policies(projectId, '/versions'), {
    limit: 20,
  });

/** Newest first; enough to say of each version shown who approved it. */
export const proposalsQuery = (projectId: string) =>
  queryOptions({
    ...reading<PageOf<PolicyProposal>>(
      [...policyKey(projectId), 'proposals'],
      policies(projectId, '/proposals'),
      { limit: 100 },
    ),
    refetchInterval: 30_000,
  });

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

export const divergencesQuery = (projectId: string) =>
  queryOptions({
    ...reading<ShadowDivergences>(
      [...policyKey(projectId), 'divergences'],
      policies(projectId, '/shadow/divergences'),
      { limit: 20 },
    ),
    refetchInterval: 3_000,
  });
