import { unknownProject } from '../kernel/not-found.ts';
import type { Caller } from './caller.ts';
import { forbidden } from './forbidden.ts';
import { holdsScope, type Scope, seesProject } from './scopes.ts';

/**
 * Throws `forbidden` when the caller may not do this in this project, and `project_not_found` when the caller does not
 * belong to the project.
 */
export function assertScope(caller: Caller, scope: Scope, projectId: string): void {
  if (!seesProject(caller, projectId)) throw unknownProject();
  if (!holdsScope(caller, scope, projectId)) throw forbidden(scope, caller);
}

/**
 * Like `assertScope`, for operations that only need the project to exist. Also throws `project_not_found` when an
 * operator names an unknown project.
 */
export async function assertReads(
  read: { findProject(projectId: string): Promise<object | undefined> },
  caller: Caller,
  scope: Scope,
  projectId: string,
): Promise<void> {
  assertScope(caller, scope, projectId);
  if (!(await read.findProject(projectId))) throw unknownProject();
}
