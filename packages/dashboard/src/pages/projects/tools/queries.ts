import type {
  MockRecordListB,
  ProtectedToolList,
  UpstreamSchema,
  UpstreamToolList,
  UpstreamToolSchema,
} from '@permitry/protocol/schemas';
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { Static } from 'typebox';
import { api } from '../../../api/client.ts';
import { projectPath } from '../project-frame/queries.ts';
import type { PageOf } from '../project-frame/wire.ts';

export type Upstream = Static<typeof UpstreamSchema>;
export type UpstreamTool = Static<typeof UpstreamToolSchema>;
export type ProtectedTool = Static<typeof ProtectedToolList>['data'][number];
type MockRecords = Static<typeof MockRecordListB>;

/** Of the gate itself; they do nothing, and keep what they were asked for. */
export const MOCK_CONNECTORS = ['mail', 'payments', 'database', 'deploy', 'files', 'iam'] as const;

export function upstreamPath(projectId: string, upstreamId?: string, rest = ''): string {
  const one = upstreamId === undefined ? '' : `/${encodeURIComponent(upstreamId)}`;
  return projectPath(projectId, `/upstreams${one}${rest}`);
}

/** Of all that this folder shows: a change of a server changes what is offered. */
export function toolsKey(projectId: string) {
  return ['projects', projectId, 'tools'] as const;
}

export const protectedToolsQuery = (projectId: string) =>
  queryOptions({
    queryKey: [...toolsKey(projectId), 'offered'],
    queryFn: ({ signal }) => api.get<{ data: ProtectedTool[] }>(projectPath(projectId, '/tools'), { signal }),
  });

/** A project has twenty at most. */
export const upstreamsQuery = (projectId: string) =>
  queryOptions({
    queryKey: [...toolsKey(projectId), 'upstreams'],
    queryFn: ({ signal }) => api.get<PageOf<Upstream>>(upstreamPath(projectId), { signal }),
  });

export const upstreamQuery = (projectId: string, upstreamId: string) =>
  queryOptions({
    queryKey: [...toolsKey(projectId), 'upstreams', upstreamId],
    queryFn: ({ signal }) => api.get<Upstream>(upstreamPath(projectId, upstreamId), { signal }),
  });

export const upstreamToolsQuery = (projectId: string, upstreamId: string) =>
  queryOptions({
    queryKey: [...toolsKey(projectId), 'upstreams', upstreamId, 'tools'],
    queryFn: ({ signal }) =>
      api.get<Static<typeof UpstreamToolList>>(upstreamPath(projectId, upstreamId, '/tools'), { signal }),
  });

export const mockRecordsQuery = (projectId: string, connector: string) =>
  infiniteQueryOptions({
    queryKey: [...toolsKey(projectId), 'mock', connector],
    queryFn: ({ pageParam, signal }) =>
      api.get<MockRecords>(projectPath(projectId, `/mock-connectors/${connector}`), {
        query: { limit: 20, cursor: pageParam },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
  });

/** A tool that waits for somebody to look at it, and can be approved. */
export function waitsForReview({ state, found, obstacle }: UpstreamTool): boolean {
  return (state === 'new' || state === 'changed') && found !== null && obstacle === null;
}
