import { GateError } from '../../errors.ts';

export function noProposal(): GateError<'not_found'> {
  return new GateError('not_found', 'There is no such proposal in this project.', {});
}
