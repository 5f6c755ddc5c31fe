/** The messages to a person whose vote does not count. */
import type { ProofTier } from '@permitry/protocol';
import type { VoteRefusal } from '../approvals/weigh-vote.ts';
import { GateError } from '../kernel/errors.ts';
import type { DeniedLately } from './denied-lately.ts';
import type { Intent } from './intent.ts';

/** The ways of approving that reach the tier. */
const METHODS_FOR: Record<ProofTier, readonly string[]> = {
  none: ['key', 'token', 'session', 'device', 'passkey'],
  session: ['session', 'device', 'passkey'],
  device: ['device', 'passkey'],
  passkey: ['passkey'],
};

export function toDecisionRefusal(refusal: VoteRefusal, intent: Intent): GateError {
  switch (refusal.kind) {
    case 'already_resolved':
      return alreadyResolved(refusal.status);
    case 'expired':
      return expired(intent);
    case 'not_an_approver': {
      const asked = intent.requirement.flatMap(
        ({ from, among, beside = [] }) => among ?? [...from, ...beside],
      );
      const names = [...new Set(asked)].join(', ');
      return new GateError(
        'forbidden',
        `You are not an approver for this request. It needs approval from ${names}.`,
        {
          required: names,
        },
      );
    }
    case 'own_request':
      return new GateError(
        'forbidden',
        'In live mode, another person must approve this request: you resubmitted it, or a key or token of someone responsible for its requester added you to the project.',
        { required: 'separation_of_duties' },
      );
    case 'person_required':
      return new GateError(
        'forbidden',
        refusal.required === 'person'
          ? 'In live mode, a key or token can approve this request only where policy lets programs approve, and never if a program of the same person sent it. Approve it in person, at its approval_url.'
          : 'Your own agent or service sent this request, so sign in and approve it at its approval_url.',
        { required: refusal.required },
      );
    case 'already_voted':
      return new GateError(
        'already_voted',
        'You have already approved this request. It still needs more approvals.',
        {},
      );
    case 'proof_required':
      return new GateError(
        'proof_required',
        `Approving this request requires proof of presence (${refusal.tier}), which a key or token alone cannot give.`,
        { proof_tier: refusal.tier, methods: METHODS_FOR[refusal.tier] },
      );
  }
}

export function alreadyResolved(status: string): GateError {
  return new GateError('intent_already_resolved', `This request is already ${status}.`, { status });
}

export function expired(intent: Intent): GateError {
  return new GateError(
    'intent_expired',
    `This request expired at ${intent.expiresAt} and can no longer be decided. Create a new one.`,
    { expired_at: intent.expiresAt },
  );
}

/** Refuses an approval in a list when a person denied an equal request lately. */
export function deniedBefore({ intentId, by, at }: DeniedLately): GateError {
  return new GateError(
    'conflict',
    `${by} denied an identical request (${intentId}) at ${at}. Open this request to read why, and approve it there.`,
    {},
  );
}

export function policyViolation(intentId: string, rule: string | null, reason: string | null): GateError {
  const sentence = `Policy denies this action${rule === null ? '' : ` (rule "${rule}")`}.`;
  return new GateError('policy_violation', reason === null ? sentence : `${sentence} ${reason}`, {
    rule,
    reason,
    intent_id: intentId,
  });
}
