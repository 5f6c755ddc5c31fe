import { queryOptions } from '@tanstack/react-query';
import { isRefusal } from '../../../api/api-error.ts';
import { api } from '../../../api/client.ts';
import { type PageOf, reading, readingPages } from '../../../api/reading.ts';
import { projectPath } from '../project-frame/queries.ts';
import type { Policy, PolicyCheck, PolicyProposal, ShadowDivergences, ShadowPolicy } from './wire.ts';

const policies = (projectId: string, rest = '') => projectPath(projectId, `/policies${rest}`);

/** The key of everything about a project's policy. A change refetches all of it. */
export const policyKey = (projectId: string) => ['projects', projectId, 'policy'];

export const policyQuery = (projectId: string) =>
  reading<Policy>([...policyKey(projectId), 'active'], policies(projectId));

export const versionsQuery = (projectId: string) =>
  readingPages<PageOf<Policy>>([...policyKey(projectId), 'versions'], policies(projectId, '/versions'), {
    limit: 20,
  });

/** Newest first; enough to say who approved each version shown. */
export const proposalsQuery = (projectId: string) =>
  queryOptions({
    ...reading<PageOf<PolicyProposal>>(
      [...policyKey(projectId), 'proposals'],
      policies(projectId, '/proposals'),
      { limit: 100 },
    ),
    refetchInterval: 30_000,
  });

/** `text` is the text that the answer is about. Typing changes the query. */
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

/** Null when there is no shadow policy. */
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
