/** What the page says in words, beyond its labels. Pure. */
import { ApiError } from '../../api/api-error.ts';
import type { ShownIntent } from './check-hashes.ts';

/** `5 minutes`, `1 hour`, `90 seconds`: as long as a permit or a request lives. */
export function sayLifetime(seconds: number): string {
  const units: [number, string][] = [
    [86_400, 'day'],
    [3600, 'hour'],
    [60, 'minute'],
  ];
  for (const [size, name] of units) {
    if (seconds % size === 0 && seconds >= size)
      return `${seconds / size} ${name}${seconds === size ? '' : 's'}`;
  }
  return `${seconds} seconds`;
}

/** What pressing "approve" brings about. */
export function sayConsequence(intent: ShownIntent): string {
  const others = intent.approvals_required - intent.approvals_received - 1;
  const lifetime = sayLifetime(intent.permit.lifetime_seconds);
  if (others > 0) {
    return `Counts as one approval. ${others === 1 ? 'One more is' : `${others} more are`} needed before it may run.`;
  }
  return `Issues one permit: exactly this, once, within ${lifetime} of your approval.`;
}

export function sayNames(names: readonly string[]): string {
  return names.map(sayName).join(' or ');
}

function sayName(name: string): string {
  if (!name.startsWith('role:')) return name;
  const role = name.slice('role:'.length);
  return role === 'owner' ? 'an owner' : `${role === 'admin' ? 'an admin' : `an ${role}`} or above`;
}

type WhyNot = NonNullable<ShownIntent['why_not']>;

const WHY_NOT: Record<Exclude<WhyNot, 'resolved'>, string> = {
  viewer: 'You are a viewer of this project: you see everything and decide nothing.',
  not_an_approver: 'You are not among those who may decide this.',
  own_request:
    'This is your own request: you asked for it again, or a program of yours asked. In live mode somebody else decides it.',
  already_voted: 'You approved this. Others must follow before it may run.',
  policy_denies:
    'The policy of this project denies this action now. It cannot be approved; deny it, or let it expire.',
};

export function sayWhyNot(why: WhyNot | null): string | null {
  return why === null || why === 'resolved' ? null : WHY_NOT[why];
}

/** Why a decision was not taken, and what to do. Nothing was decided in any of these cases. */
export function sayRefusal(error: unknown): string {
  if (!(error instanceof ApiError)) {
    return 'Something on this page failed, and nothing was sent. Load it again.';
  }
  switch (error.code) {
    case 'already_voted':
      return 'You have approved this already, perhaps in another window. Others must follow.';
    case 'intent_expired':
      return 'The time to decide ran out just before your decision arrived. Nothing was decided.';
    case 'intent_already_resolved':
      return `Somebody was faster: this request is ${String(error.details.status ?? 'decided')} already. Yours changed nothing.`;
    case 'proof_required':
      return 'This approval takes a passkey. Nothing was decided yet; press Approve and confirm on your device.';
    case 'invalid_proof':
      return 'The proof by your passkey was not accepted, or came too late. Nothing was decided; try again.';
    case 'policy_violation':
      return 'The policy of this project came to deny this action. It was recorded as denied, and nothing will run.';
    case 'forbidden':
      return error.details.required === 'separation_of_duties'
        ? 'In live mode nobody decides what they or their programs asked for. Somebody else must decide this.'
        : `You may not decide this any more. ${error.message}`;
    case 'intent_not_found':
      return 'This request is no longer shown to you: your membership may have changed. Nothing was decided.';
    case 'conflict':
      return 'What you were shown is not what stands here. Nothing was decided; load the page again.';
    case 'agent_paused':
    case 'agent_revoked':
    case 'project_stopped':
      return `${error.message} Nothing was decided.`;
    default:
      return error.message;
  }
}
