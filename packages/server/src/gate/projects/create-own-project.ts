import type { ProjectMode } from '@permitry/protocol';
import type { SessionCaller } from '../access/caller.ts';
import { unauthorized } from '../access/unauthorized.ts';
import { GateError } from '../kernel/errors.ts';
import type { ChangeDeps } from './change-deps.ts';
import { checkNewProject, insertNewProject } from './create-project.ts';
import { isStillGood } from './current-caller.ts';
import type { Project } from './project.ts';

/**
 * Creates a project for a present person, who becomes its first owner. Only for an owner of another project of this
 * gate. So a person who was only invited to a project cannot create any.
 *
 * @throws GateError `forbidden` to people who own no project, `invalid_fields`, `conflict` for a name in use
 */
export async function createOwnProject(
  gate: ChangeDeps,
  caller: SessionCaller,
  input: { name: string; mode: ProjectMode },
): Promise<Project> {
  const checked = checkNewProject({ ...input, ownerEmail: caller.user.email });
  const now = gate.clock.now();
  return gate.storage.transaction(async (tx) => {
    if (!(await isStillGood(tx, caller, now))) throw unauthorized();
    const memberships = await tx.listMemberships(caller.user.id);
    if (!memberships.some(({ role }) => role === 'owner')) {
      throw new GateError('forbidden', 'Only an owner of a project can create another one.', {
        required: 'role:owner',
      });
    }
    const { project } = await insertNewProject(gate, tx, caller, checked, now);
    return project;
  });
}
