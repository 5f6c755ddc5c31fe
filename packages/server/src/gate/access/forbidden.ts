import { GateError } from '../errors.ts';
import type { Scope } from './scopes.ts';

/** The refusal of somebody who may see it and may not do it. */
export function forbidden(required: Scope | 'operator' | 'session'): GateError<'forbidden'> {
  return new GateError('forbidden', `This credential may not do this; it takes ${required}.`, { required });
}
