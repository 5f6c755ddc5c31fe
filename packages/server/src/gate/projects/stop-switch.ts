import type { Caller } from '../access/caller.ts';
import type { ChangeDeps } from './change-deps.ts';
import { changeProject } from './change-project.ts';
import type { Project } from './project.ts';

/**
 * Blocks every create, verify and consume of the project from the next request on. Idempotent.
 *
 * @throws GateError `project_not_found`, `forbidden`
 */
export function stopProject(
  gate: ChangeDeps,
  caller: Caller,
  input: { projectId: string },
): Promise<Project> {
  return switchProject(gate, caller, input.projectId, true);
}

/** Ends the stop. Agents that were paused individually stay paused. Idempotent. */
export function startProject(
  gate: ChangeDeps,
  caller: Caller,
  input: { projectId: string },
): Promise<Project> {
  return switchProject(gate, caller, input.projectId, false);
}

function switchProject(gate: ChangeDeps, caller: Caller, projectId: string, stop: boolean): Promise<Project> {
  return changeProject(
    gate,
    caller,
    projectId,
    stop ? 'project:stop' : 'project:start',
    async ({ tx, now, project, record }) => {
      if (!(await tx.setProjectStopped(projectId, stop ? now : null))) return project;
      await record(stop ? 'project.stopped' : 'project.started', {});
      return (await tx.findProject(projectId)) ?? project;
    },
  );
}
