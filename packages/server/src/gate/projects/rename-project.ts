import type { Caller } from '../access/caller.ts';
import { checkName } from '../kernel/label.ts';
import type { ChangeDeps } from './change-deps.ts';
import { changeProject } from './change-project.ts';
import { assertNameFree } from './create-project.ts';
import type { Project } from './project.ts';

/**
 * Renames the project. Its id, keys and permits stay valid. Idempotent.
 *
 * @throws GateError `project_not_found`, `forbidden`, `invalid_fields`, `conflict` for a name in use
 */
export function renameProject(
  gate: ChangeDeps,
  caller: Caller,
  input: { projectId: string; name: string },
): Promise<Project> {
  return changeProject(gate, caller, input.projectId, 'project:write', async ({ tx, project, record }) => {
    const name = checkName(input.name);
    if (name === project.name) return project;
    await assertNameFree(tx, name, project.id);
    await tx.renameProject(project.id, name);
    await record('project.renamed', { name, previous_name: project.name });
    return { ...project, name };
  });
}
