import type { Caller } from '../../gate/access/caller.ts';
import { GateError } from '../../gate/errors.ts';
import type { Gate } from '../../gate/gate.ts';
import { changeProject } from '../../gate/projects/change-project.ts';

/**
 * Removes a group. What still asks for it (a policy, a pending intent) can then be met by nobody, never by anybody.
 *
 * @throws GateError `project_not_found`, `forbidden`, `not_found`
 */
export function removeGroup(
  gate: Gate,
  caller: Caller,
  input: { projectId: string; name: string },
): Promise<void> {
  const { projectId, name } = input;
  return changeProject(gate, caller, projectId, 'members:write', async ({ tx, record }) => {
    if (!(await tx.removeGroup(projectId, name)))
      throw new GateError('not_found', 'There is no such group in this project.', {});
    await record('group.removed', { name });
  });
}
