import { GateError } from '../errors.ts';

/** Unknown and not theirs are one answer, in the same words. */
export function unknownProject(): GateError<'project_not_found'> {
  return new GateError('project_not_found', 'There is no such project for this credential.', {});
}
