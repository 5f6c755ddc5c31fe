import { GateError } from '../kernel/errors.ts';
import type { PolicyVersion } from '../projects/project.ts';

/** The refusal of a change that was made from another version than the one in force. */
export function anotherInForce(inForce: PolicyVersion): GateError {
  return new GateError(
    'precondition_failed',
    `Version ${inForce.version} (${inForce.hash}) is in force by now; read it and make the change from it.`,
    {},
  );
}
