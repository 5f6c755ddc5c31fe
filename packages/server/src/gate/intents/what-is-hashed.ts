import type { IntentHashInput } from '@permitry/protocol';
import type { Intent } from './intent.ts';
import { subjectOf } from './issue-tokens.ts';

type HashedIntent = Pick<
  Intent,
  | 'projectId'
  | 'id'
  | 'action'
  | 'params'
  | 'agentId'
  | 'requester'
  | 'source'
  | 'sourceType'
  | 'riskTier'
  | 'metadata'
  | 'expiresAt'
>;

/** The content that the intent hash covers, and that the gate therefore shows to approvers. */
export function whatIsHashed(intent: HashedIntent): IntentHashInput {
  return {
    project: intent.projectId,
    intent: intent.id,
    action: intent.action,
    params: intent.params,
    requester: subjectOf(intent),
    source: intent.source,
    source_type: intent.sourceType,
    risk_tier: intent.riskTier,
    metadata: intent.metadata,
    expires_at: intent.expiresAt,
  };
}
