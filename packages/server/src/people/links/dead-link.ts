import { GateError } from '../../gate/kernel/errors.ts';

/** One message for a link that never existed, was used, was replaced, or has expired. */
export function deadLink(): GateError<'not_found'> {
  return new GateError('not_found', 'This link was already used or has expired. Ask for a new one.', {});
}
