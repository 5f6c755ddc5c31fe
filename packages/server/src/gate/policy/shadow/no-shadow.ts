import { GateError } from '../../errors.ts';

export function noShadow(): GateError<'not_found'> {
  return new GateError('not_found', 'This project has no shadow policy.', {});
}
