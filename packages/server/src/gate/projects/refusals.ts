import type { Scope } from '../access/scopes.ts';
import { GateError } from '../errors.ts';

/** In the words of `assertScope`: unknown and not theirs are one answer. */
export function unknownProject(): GateError {
  return new GateError('project_not_found', 'There is no such project for this credential.', {});
}

export function forbidden(required: Scope | 'operator'): GateError {
  return new GateError('forbidden', `This credential may not do this; it takes ${required}.`, { required });
}
