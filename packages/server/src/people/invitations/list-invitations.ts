import { assertScope } from '../../gate/access/assert-scope.ts';
import type { Caller } from '../../gate/access/caller.ts';
import { unknownProject } from '../../gate/kernel/not-found.ts';
import { type Page, type PageRequest, pageByIds } from '../../gate/kernel/page.ts';
import type { PeopleDeps } from '../people-deps.ts';
import type { Invitation } from './invitation.ts';

/**
 * Newest first; accepted, revoked and expired ones as well.
 *
 * @throws GateError `project_not_found`, `forbidden`, `invalid_fields`
 */
export async function listInvitations(
  gate: Pick<PeopleDeps, 'storage'>,
  caller: Caller,
  input: PageRequest & { projectId: string },
): Promise<Page<Invitation>> {
  const { read } = gate.storage;
  assertScope(caller, 'members:read', input.projectId);
  if (!(await read.findProject(input.projectId))) throw unknownProject();
  return pageByIds(input, 'inv_', (rows) => read.listInvitations(input.projectId, rows));
}
