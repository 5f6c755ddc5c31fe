import type { JsonObject, RiskTier } from '@permitry/protocol';
import type { NotificationKind } from './kinds.ts';

/** One thing to say, to people and perhaps in a project's chat, whatever channels they have. */
export interface Notice {
  causeId: string;
  kind: NotificationKind;
  projectId: string;
  /** Null: a proposal, a webhook or an agent, which `detail` names, and which has no risk of its own. */
  intentId: string | null;
  riskTier: RiskTier | null;
  detail?: JsonObject;
  userIds: readonly string[];
  /** Whether the project's chat hears of it as well. */
  forChat: boolean;
}
