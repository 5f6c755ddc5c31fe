import { GateError } from '../../gate/kernel/errors.ts';

/** One sentence for a link that never was, was used, was replaced, or is too old. */
export function deadLink(): GateError<'not_found'> {
  return new GateError('not_found', 'This link was used already, or it is too old. Ask for a new one.', {});
}
