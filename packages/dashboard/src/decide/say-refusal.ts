import { ApiError } from '../api/api-error.ts';

/** Why the gate did not accept a decision, and what to do. In none of these cases was anything decided. */
export function sayRefusal(error: unknown): string {
  if (!(error instanceof ApiError)) {
    return 'Something on this page failed, and nothing was sent. Reload the page.';
  }
  switch (error.code) {
    case 'already_voted':
      return 'You have already approved this, perhaps in another window. More approvals are needed.';
    case 'intent_expired':
      return 'This request expired before your decision arrived. Your decision was not recorded.';
    case 'intent_already_resolved':
      return `Already ${String(error.details.status ?? 'decided')}. Your decision was not recorded.`;
    case 'proof_required':
      return 'Passkey required. Your decision was not recorded. Press Approve and confirm on your device.';
    case 'invalid_proof':
      return 'Your passkey was not accepted, or came too late. Your decision was not recorded. Try again.';
    case 'policy_violation':
      return 'Policy now denies this action. The request was denied and nothing will run.';
    case 'forbidden':
      return error.details.required === 'separation_of_duties'
        ? 'In live mode, another person must approve this: you resubmitted it, or a program of its requester made you a member.'
        : `You’re not an approver for this request. ${error.message}`;
    case 'intent_not_found':
      return 'You no longer have access to this request. Your decision was not recorded.';
    case 'conflict':
      return 'This request no longer matches what you reviewed. Your decision was not recorded. Reload the page.';
    case 'agent_paused':
    case 'agent_revoked':
    case 'project_stopped':
      return `${error.message} Your decision was not recorded.`;
    default:
      return error.message;
  }
}
