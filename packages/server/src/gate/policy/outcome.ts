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
  /** The agent whose own key sent the request, so that the credential proves its identity. Otherwise null. */
  agent: { id: string; name: string; riskTier: RiskTier; labels: JsonObject } | null;
  /**
   * The approvers that the request itself names. They narrow the requirement later; here they only make a person
   * necessary.
   */
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
  /** Name of the rule that decided: the first, by name, of the rules with the winning effect. Null: the default. */
  rule: string | null;
  /** The deciding rule's reason, if it gives one. */
  reason: string | null;
  /** The policy's own requirement, whichever people the request names. Empty unless `require_approval`. */
  requirement: Requirement;
  /** Whether mandates may approve it in place of people. Off unless `require_approval`. */
  mandates: MandateTerms;
  /** The request's tier, or a higher one that a matching rule sets. Rules never lower it. */
  riskTier: RiskTier;
  /** Whether a matching rule sets a tier, even `low`. */
  ratesRisk: boolean;
  proofTier: ProofTier;
  /** The shortest expiry that a matching rule sets. Null: no rule sets an expiry. */
  expiresInSeconds: number | null;
  permitTtlSeconds: number | null;
  /** Rules whose condition failed to evaluate, and why; for the program log and the audit log. */
  failures: readonly { rule: string; message: string }[];
}
