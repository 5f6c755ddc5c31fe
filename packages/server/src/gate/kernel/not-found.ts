/**
 * Refusals for things that the caller cannot see. The words are the same for unknown things and for other people's
 * things.
 */
import { GateError } from './errors.ts';

/** @example throw notFound('key in this project') */
export function notFound(what: string): GateError<'not_found'> {
  return new GateError('not_found', `There is no such ${what}.`, {});
}

export function unknownProject(): GateError<'project_not_found'> {
  return new GateError(
    'project_not_found',
    'There is no such project, or this credential has no access to it.',
    {},
  );
}

export function unknownIntent(): GateError<'intent_not_found'> {
  return new GateError(
    'intent_not_found',
    'There is no such request, or this credential has no access to it.',
    {},
  );
}

export function unknownProposal(): GateError<'not_found'> {
  return notFound('proposal in this project');
}

export function unknownShadow(): GateError<'not_found'> {
  return new GateError('not_found', 'This project has no shadow policy.', {});
}

export function unknownUpstream(): GateError<'not_found'> {
  return notFound('upstream server in this project');
}

export function unknownWebhook(): GateError<'not_found'> {
  return notFound('webhook in this project');
}

export function unknownDelivery(): GateError<'not_found'> {
  return notFound('delivery of this webhook');
}
