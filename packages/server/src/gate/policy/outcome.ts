import type { JsonObject, ProofTier, RiskTier, SourceType } from '@permitry/protocol';
import type { Requirement } from '../approvals/requirement.ts';
import type { Instant } from '../kernel/instant.ts';

/** What a policy is asked about. The tiers are those asked for, already raised to the agent's default. */
export interface PolicyRequest {
  action: string;
  params: JsonObject;
  metadata: JsonObject;
  source: string | null;
  sourceType: SourceType;
  riskTier: RiskTier;
  proofTier: ProofTier;
  /** Only when an agent's own key asks: who it is, as the credential proves. */
  agent: { id: string; name: string; riskTier: RiskTier; labels: JsonObject } | null;
  /** Named by the request itself. They narrow the requirement when it is asked; here they only want a person. */
  approvers: readonly string[];
  minApprovals: number | null;
  now: Instant;
}

/** What a policy answers. `deny` beats `require_approval` beats `allow`; nothing matched: `require_approval`. */
export interface PolicyOutcome {
  effect: 'allow' | 'require_approval' | 'deny';
  /** Name of the rule that decided: the first, by name, of those with the winning effect; null: the default spoke. */
  rule: string | null;
  /** The deciding rule's reason, if it gives one. */
  reason: string | null;
  /** The policy's own, no matter which people the request names. Empty unless `require_approval`. */
  requirement: Requirement;
  /** Raised by matching rules, never lowered. */
  riskTier: RiskTier;
  /** Whether a matching rule sets a tier, be it `low`. */
  ratesRisk: boolean;
  proofTier: ProofTier;
  /** The shortest that a matching rule sets; null: none does. */
  expiresInSeconds: number | null;
  permitTtlSeconds: number | null;
  /** Rules whose condition failed to evaluate, and why; for the log and the ledger. */
  failures: readonly { rule: string; message: string }[];
}
