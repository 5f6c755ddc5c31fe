/** Owns a request as people review it on a terminal: everything that was hashed, and the check of its hash. */
import {
  canonicalJson,
  hashJson,
  type IntentHashInput,
  intentHash,
  type JsonObject,
  parseStrictJson,
} from '@permitry/protocol';
import type { Permitry } from '@permitry/sdk';
import { refused } from '../command-failure.ts';

/** What the gate reports to reviewers about one intent, as far as it is shown here. */
export interface ReviewedIntent {
  id: string;
  project: { id: string; name: string; mode: 'test' | 'live'; stopped: boolean };
  status: 'pending' | 'approved' | 'denied' | 'expired';
  hashed: Omit<IntentHashInput, 'params'>;
  /** Exactly the text that was hashed. */
  canonical_params: string;
  /** False if nobody rated the risk. `low` then means nothing. */
  risk_rated: boolean;
  params_hash: string;
  intent_hash: string;
  requester: { type: string; id: string; display: string; agent: { name: string; status: string } | null };
  approval_url: string;
  created_at: string;
  expires_at: string;
  resolved_at: string | null;
  resolved_by: string | null;
  reason: string | null;
  erased_at: string | null;
  policy: { rule: string | null; reason: string | null; effect: string | null; changed: boolean };
  approvals_required: number;
  approvals_received: number;
  missing: readonly { from: readonly string[]; count: number; who: readonly string[]; more: number }[];
  /** Names in the request that narrow who approves it. */
  asked_of: readonly string[];
  denied_lately: { intent_id: string; by: string; at: string; reason: string | null } | null;
  votes: readonly { by: string; mine: boolean; decision: string; at: string; method: string }[];
  can_approve: boolean;
  can_deny: boolean;
  why_not: WhyNot | null;
  proof: { tier: string; has_passkey: boolean };
  permit: { expires_at: string | null; used_at: string | null; revoked_at: string | null };
  outcome: string | null;
  previous: {
    id: string;
    approved_at: string;
    approved_by: string;
    canonical_params: string;
    params_hash: string;
  } | null;
  approved_lately: {
    id: string;
    approved_at: string;
    used_at: string | null;
    revoked_at: string | null;
  } | null;
}

export type WhyNot =
  | 'resolved'
  | 'viewer'
  | 'not_an_approver'
  | 'own_request'
  | 'person_required'
  | 'already_voted'
  | 'policy_denies';

/**
 * Reads the intent, and computes both hashes, of the parameters and of the whole request, from what will be shown. A
 * decision names the hash of the request, so the decision covers exactly what was shown.
 *
 * @throws CommandFailure when they differ from the hashes that the gate names
 */
export async function readReviewedIntent(client: Permitry, id: string): Promise<ReviewedIntent> {
  const intent = await client.request<ReviewedIntent>('GET', `/console/intents/${encodeURIComponent(id)}`);
  if (intent.id !== id)
    throw refused(`The gate answered with a request other than ${id}. Nothing was decided.`);
  // After an erasure, nothing is left to be hashed or decided.
  if (intent.erased_at === null) assertAsHashed(intent);
  return intent;
}

function assertAsHashed(intent: ReviewedIntent): void {
  const { hashed, canonical_params: text } = intent;
  const params = parseStrictJson(new TextEncoder().encode(text)) as JsonObject;
  const matchesHashes =
    // The text is exactly the one that is shown, and has no second reading.
    canonicalJson(params) === text &&
    hashJson(params) === intent.params_hash &&
    intentHash({ ...hashed, params }) === intent.intent_hash &&
    hashed.intent === intent.id &&
    hashed.project === intent.project.id;
  if (matchesHashes) return;
  throw refused(
    `What the gate shows of ${intent.id} does not match its hashes. Do not decide this request. Report it to the operator of the gate.`,
    'conflict',
  );
}
