import type { ReceiptApproval, ReceiptContent } from '@permitry/protocol';
import { tierReachedBy } from '../approvals/weigh-vote.ts';
import type { Instant } from '../kernel/instant.ts';
import type { ProjectSettings } from '../project-settings/project-settings.ts';
import type { IssuedPermit } from '../tokens/issue-permit.ts';
import { issuePermit } from '../tokens/issue-permit.ts';
import { issueReceipt } from '../tokens/issue-receipt.ts';
import type { CountedApproval, Intent } from './intent.ts';
import type { IntentDeps } from './intent-deps.ts';

/** A permit's lifetime in seconds, unless a policy rule sets another. */
export const DEFAULT_PERMIT_TTL_SECONDS = 300;

export interface IssuedTokens {
  permit: IssuedPermit;
  receipt: ReceiptContent;
  receiptIndex: number;
}

function lastOf(approvals: readonly CountedApproval[]): CountedApproval {
  const last = approvals.at(-1);
  if (!last) throw new Error('an approved intent has at least one approval');
  return last;
}

/** The `sub` of the intent's permits. It is also the `requester` that the intent's hash covers. */
export function subjectOf(intent: Pick<Intent, 'agentId' | 'requester'>): string {
  return intent.agentId ?? `key:${intent.requester.id}`;
}

/** Issues a permit for an approved intent. `at`: when the intent was approved. `now`: when this permit is issued. */
export async function issueIntentPermit(
  gate: Pick<IntentDeps, 'ids' | 'tokens'>,
  intent: Intent,
  settings: ProjectSettings,
  approvals: readonly CountedApproval[],
  at: Instant,
  now: Instant,
): Promise<IssuedPermit> {
  const { method } = lastOf(approvals);
  return issuePermit(
    gate,
    {
      mode: settings.mode,
      projectId: intent.projectId,
      intentId: intent.id,
      subject: subjectOf(intent),
      action: intent.action,
      paramsHash: intent.paramsHash,
      intentHash: intent.intentHash,
      policyHash: settings.policy.hash,
      proofTierAchieved: tierReachedBy(approvals),
      approval: { by: approvals.map((approval) => approval.by), at, method },
      ttlSeconds: intent.permitTtlSeconds,
    },
    now,
  );
}

/** Signs permit and receipt of an approval before the transaction that stores them. */
export async function issueTokens(
  gate: Pick<IntentDeps, 'ids' | 'tokens'>,
  intent: Intent,
  settings: ProjectSettings,
  approvals: readonly ReceiptApproval[],
  now: Instant,
): Promise<IssuedTokens> {
  const last = lastOf(approvals);
  const receiptIndex = await gate.tokens.receiptIndexes.next();
  const issuing = issueIntentPermit(gate, intent, settings, approvals, now, now);
  const signing = issueReceipt(
    gate,
    {
      intent_id: intent.id,
      intent_hash: intent.intentHash,
      action: intent.action,
      params_hash: intent.paramsHash,
      policy_hash: settings.policy.hash,
      proof_tier: intent.proofTier,
      proof_tier_achieved: tierReachedBy(approvals),
      approved_by: last.by,
      approved_at: now,
      // Without a device's signature the approvals prove nothing, so omitting them keeps the receipt small.
      ...(approvals.some(({ passkey, device }) => passkey ?? device) ? { approvals: [...approvals] } : {}),
    },
    receiptIndex,
    now,
  );
  const [permit, receipt] = await Promise.all([issuing, signing]);
  return { permit, receipt, receiptIndex };
}
