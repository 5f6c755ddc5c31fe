import { assertScope } from '../access/assert-scope.ts';
import { type Caller, isPerson } from '../access/caller.ts';
import { unknownProject } from '../kernel/not-found.ts';
import type { ChangeDeps } from './change-deps.ts';
import type { Project } from './project.ts';

/** @throws GateError `project_not_found`, also for one that the caller may not see */
export async function getProject(
  gate: Pick<ChangeDeps, 'storage'>,
  caller: Caller,
  input: { projectId: string },
): Promise<Project> {
  assertScope(caller, 'project:read', input.projectId);
  const project = await gate.storage.read.findProject(input.projectId);
  if (!project) throw unknownProject();
  return project;
}

/** The projects the caller may see, newest first. */
export async function listProjects(
  gate: Pick<ChangeDeps, 'storage'>,
  caller: Caller,
): Promise<readonly Project[]> {
  const projects = await visibleProjects(gate, caller);
  return projects.toSorted((a, b) => (a.id < b.id ? 1 : -1));
}

async function visibleProjects(
  gate: Pick<ChangeDeps, 'storage'>,
  caller: Caller,
): Promise<readonly Project[]> {
  const { read } = gate.storage;
  if (caller.kind === 'operator') return read.listProjects();
  const ids = isPerson(caller) ? caller.memberships.map((m) => m.projectId) : [caller.projectId];
  const found = await Promise.all(ids.map((id) => read.findProject(id)));
  return found.filter((project) => project !== undefined);
}
