import { GateError } from '../errors.ts';

export function unknownUpstream(): GateError<'not_found'> {
  return new GateError('not_found', 'There is no such upstream server in this project.', {});
}
