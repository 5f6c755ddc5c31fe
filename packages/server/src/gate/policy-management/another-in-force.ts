import { GateError } from '../kernel/errors.ts';
import type { PolicyVersion } from '../projects/project.ts';

/** Refuses a change that was based on a version other than the active one. */
export function anotherInForce(inForce: PolicyVersion): GateError {
  return new GateError(
    'precondition_failed',
    `Version ${inForce.version} (${inForce.hash}) is active now; read it and base the change on it.`,
    {},
  );
}
