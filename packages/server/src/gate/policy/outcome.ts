import type { JsonObject, ProofTier, RiskTier, SourceType } from '@permitry/protocol';
import type { Requirement } from '../approvals/requirement.ts';
import type { Instant } from '../kernel/instant.ts';

/** The input of a policy. The tiers are those of the request, already raised to the agent's default. */
export interface PolicyRequest {
  action: string;
  params: JsonObject;
  metadata: JsonObject;
  source: string | null;
  sourceType: SourceType;
  riskTier: RiskTier;
  proofTier: ProofTier;
  /** Only when an agent's own key sent the request: the identity that the credential proves. */
  agent: { id: string; name: string; riskTier: RiskTier; labels: JsonObject } | null;
  /** Named by the request itself. They narrow the requirement when it is met; here they only require a person. */
  approvers: readonly string[];
  minApprovals: number | null;
  now: Instant;
}

/** `maxDays`: how many days after its own approval a mandate may still approve. Null: until its end. */
export type MandateTerms = { isOn: false } | { isOn: true; maxDays: number | null };

/**
 * The result of a policy. `deny` beats `require_approval` beats `allow`. Without a matching rule: `require_approval`.
 */
export interface PolicyOutcome {
  effect: 'allow' | 'require_approval' | 'deny';
  /** Name of the rule that decided: the first, by name, of those with the winning effect. Null: the default. */
  rule: string | null;
  /** The deciding rule's reason, if it gives one. */
  reason: string | null;
  /** The policy's own requirement, no matter which people the request names. Empty unless `require_approval`. */
  requirement: Requirement;
  /** Whether mandates may approve it in place of people. Off unless `require_approval`. */
  mandates: MandateTerms;
  /** Raised by matching rules, never lowered. */
  riskTier: RiskTier;
  /** Whether a matching rule sets a tier, even `low`. */
  ratesRisk: boolean;
  proofTier: ProofTier;
  /** The shortest that a matching rule sets. Null: none does. */
  expiresInSeconds: number | null;
  permitTtlSeconds: number | null;
  /** Rules whose condition failed to evaluate, and why; for the program log and the audit log. */
  failures: readonly { rule: string; message: string }[];
}
