import { assertReads } from '../access/assert-scope.ts';
import type { Caller } from '../access/caller.ts';
import { type Page, type PageRequest, pageOfSet } from '../kernel/page.ts';
import type { ErasureDeps } from './erasure-deps.ts';
import type { UnfinishedErasure } from './unfinished-erasure.ts';

/**
 * Newest first.
 *
 * @throws GateError `project_not_found`, `forbidden`
 */
export async function listUnfinishedErasures(
  gate: Pick<ErasureDeps, 'storage'>,
  caller: Caller,
  input: PageRequest & { projectId: string },
): Promise<Page<UnfinishedErasure>> {
  const { read } = gate.storage;
  await assertReads(read, caller, 'audit:read', input.projectId);
  const unfinished = await read.listUnfinishedErasures();
  return pageOfSet(
    input,
    unfinished.filter(({ projectId }) => projectId === input.projectId),
    ({ since, subject, subjectId }) => `${since}~${subject}~${subjectId ?? ''}`,
  );
}
