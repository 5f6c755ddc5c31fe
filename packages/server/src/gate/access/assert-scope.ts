import { GateError } from '../errors.ts';
import type { Caller } from './caller.ts';
import { holdsScope, type Scope, seesProject } from './scopes.ts';

/** Throws `forbidden` when the caller may not do this in this project, `project_not_found` when it is not theirs. */
export function assertScope(caller: Caller, scope: Scope, projectId: string): void {
  if (!seesProject(caller, projectId)) {
    throw new GateError('project_not_found', 'There is no such project for this credential.', {});
  }
  if (!holdsScope(caller, scope, projectId)) {
    throw new GateError('forbidden', `This credential may not do this; it takes ${scope}.`, {
      required: scope,
    });
  }
}
