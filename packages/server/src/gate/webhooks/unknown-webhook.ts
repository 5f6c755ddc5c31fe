import { GateError } from '../errors.ts';

export function unknownWebhook(): GateError<'not_found'> {
  return new GateError('not_found', 'There is no such webhook in this project.', {});
}

export function unknownDelivery(): GateError<'not_found'> {
  return new GateError('not_found', 'There is no such delivery of this webhook.', {});
}
