import { GateError } from '../errors.ts';

/** Unknown and not theirs are one answer, in the same words. */
export function unknownIntent(): GateError<'intent_not_found'> {
  return new GateError('intent_not_found', 'There is no such intent for this credential.', {});
}
