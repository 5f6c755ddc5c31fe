import { ApiError } from '../api/api-error.ts';
import * as words from './refusals.words.ts';
import { ownRequest } from './why-not.words.ts';

/** Why the gate did not accept a decision, and what to do. In none of these cases was anything decided. */
export function sayRefusal(error: unknown): string {
  if (!(error instanceof ApiError)) return words.pageFailed;
  switch (error.code) {
    case 'already_voted':
      return words.alreadyApproved;
    case 'intent_expired':
      return words.expired;
    case 'intent_already_resolved':
      return words.resolved(String(error.details.status ?? words.decided));
    case 'proof_required':
      return words.passkeyRequired;
    case 'invalid_proof':
      return words.passkeyRefused;
    case 'policy_violation':
      return words.deniedByPolicy;
    case 'forbidden':
      return error.details.required === 'separation_of_duties' ? ownRequest : error.message;
    case 'intent_not_found':
      return words.noAccess;
    case 'conflict':
      return words.changed;
    case 'agent_paused':
    case 'agent_revoked':
    case 'project_stopped':
      return words.notRecorded(error.message);
    default:
      return error.message;
  }
}
