import type { Caller } from '../../gate/access/caller.ts';
import { notFound } from '../../gate/kernel/not-found.ts';
import { assertNotAskedFor } from '../../gate/policy-management/assert-not-asked-for.ts';
import { changeProject } from '../../gate/projects/change-project.ts';
import type { PeopleDeps } from '../people-deps.ts';

/**
 * Removes a group. Nobody can then approve a pending intent that needs it.
 * @throws GateError `project_not_found`, `forbidden`, `not_found`, `conflict` while the active policy names it
 */
export function removeGroup(
  gate: PeopleDeps,
  caller: Caller,
  input: { projectId: string; name: string },
): Promise<void> {
  const { projectId, name } = input;
  return changeProject(gate, caller, projectId, 'members:write', async ({ tx, record }) => {
    if (!(await tx.removeGroup(projectId, name))) throw notFound('group in this project');
    await assertNotAskedFor(tx, projectId, name);
    await record('group.removed', { name });
  });
}
