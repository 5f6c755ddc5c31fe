import { assertScope } from '../access/assert-scope.ts';
import type { Caller } from '../access/caller.ts';
import { type Page, type PageRequest, pageByIds } from '../kernel/page.ts';
import type { MockRecord } from './mock-record.ts';
import type { ToolDeps } from './tool-deps.ts';

/** Lists the records of what a mock connector did in a project, newest first. Empty for an unknown connector. */
export async function listMockRecords(
  gate: Pick<ToolDeps, 'storage'>,
  caller: Caller,
  { projectId, connector, ...page }: { projectId: string; connector: string } & PageRequest,
): Promise<Page<MockRecord>> {
  assertScope(caller, 'audit:read', projectId);
  return pageByIds(page, 'int_', (rows) => gate.storage.read.listMockRecords(projectId, connector, rows));
}
