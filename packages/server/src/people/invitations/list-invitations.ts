import { assertReads } from '../../gate/access/assert-scope.ts';
import type { Caller } from '../../gate/access/caller.ts';
import { type Page, type PageRequest, pageByIds } from '../../gate/kernel/page.ts';
import type { PeopleDeps } from '../people-deps.ts';
import type { Invitation } from './invitation.ts';

/**
 * Newest first. Includes accepted, revoked and expired ones.
 * @throws GateError `project_not_found`, `forbidden`, `invalid_fields`
 */
export async function listInvitations(
  gate: Pick<PeopleDeps, 'storage'>,
  caller: Caller,
  input: PageRequest & { projectId: string },
): Promise<Page<Invitation>> {
  const { read } = gate.storage;
  await assertReads(read, caller, 'members:read', input.projectId);
  return pageByIds(input, 'inv_', (rows) => read.listInvitations(input.projectId, rows));
}
