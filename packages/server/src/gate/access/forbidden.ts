import { GateError } from '../kernel/errors.ts';
import type { Caller } from './caller.ts';
import { findWhatIsLacking, type Scope } from './scopes.ts';

/** The refusal for a caller who may see the resource but may not do the operation. */
export function forbidden(required: 'operator' | 'session'): GateError<'forbidden'>;
export function forbidden(required: Scope, caller?: Caller): GateError<'forbidden'>;
export function forbidden(required: Scope | 'operator' | 'session', caller?: Caller): GateError<'forbidden'> {
  const way = caller && required !== 'operator' && required !== 'session' ? wayTo(required, caller) : '';
  return new GateError('forbidden', `This credential may not do this. It requires: ${required}.${way}`, {
    required,
  });
}

/** The part of the message that says which other credential can do it. */
function wayTo(scope: Scope, caller: Caller): string {
  const lacking = findWhatIsLacking(caller, scope);
  if (lacking === null) return '';
  return lacking === 'person'
    ? ' In live mode, keys and tokens cannot do this: sign in to the dashboard, or use the command line on the gate’s machine.'
    : ` This token was created without the right to ${lacking}. Create one that has it, or sign in.`;
}
