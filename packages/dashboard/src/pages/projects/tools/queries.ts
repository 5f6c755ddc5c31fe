import { type PageOf, reading, readingPages } from '../../../api/reading.ts';
import type { Wire } from '../../../api/wire.ts';
import { projectPath } from '../project-frame/queries.ts';

export type Upstream = Wire<'UpstreamSchema'>;
export type UpstreamTool = Wire<'UpstreamToolSchema'>;
export type ProtectedTool = Wire<'ProtectedToolList'>['data'][number];
type MockRecords = Wire<'MockRecordListB'>;
type UpstreamTools = Wire<'UpstreamToolList'>;

/** The connectors built into the gate. They do nothing but record the calls that they receive. */
export const MOCK_CONNECTORS = ['mail', 'payments', 'database', 'deploy', 'files', 'iam'] as const;

export function upstreamPath(projectId: string, upstreamId?: string, rest = ''): string {
  const one = upstreamId === undefined ? '' : `/${encodeURIComponent(upstreamId)}`;
  return projectPath(projectId, `/upstreams${one}${rest}`);
}

/** The key of everything in this folder: a change to a server changes the available tools. */
export function toolsKey(projectId: string) {
  return ['projects', projectId, 'tools'] as const;
}

export const protectedToolsQuery = (projectId: string) =>
  reading<{ data: ProtectedTool[] }>([...toolsKey(projectId), 'available'], projectPath(projectId, '/tools'));

/** A project has at most twenty. */
export const upstreamsQuery = (projectId: string) =>
  reading<PageOf<Upstream>>([...toolsKey(projectId), 'upstreams'], upstreamPath(projectId));

export const upstreamQuery = (projectId: string, upstreamId: string) =>
  reading<Upstream>([...toolsKey(projectId), 'upstreams', upstreamId], upstreamPath(projectId, upstreamId));

export const upstreamToolsQuery = (projectId: string, upstreamId: string) =>
  reading<UpstreamTools>(
    [...toolsKey(projectId), 'upstreams', upstreamId, 'tools'],
    upstreamPath(projectId, upstreamId, '/tools'),
  );

export const mockRecordsQuery = (projectId: string, connector: string) =>
  readingPages<MockRecords>(
    [...toolsKey(projectId), 'mock', connector],
    projectPath(projectId, `/mock-connectors/${connector}`),
    { limit: 20 },
  );

/** A new or changed tool that a person can approve. */
export function needsReview({ state, found, obstacle }: UpstreamTool): boolean {
  return (state === 'new' || state === 'changed') && found !== null && obstacle === null;
}
