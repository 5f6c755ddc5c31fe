import type { JsonObject, RiskTier } from '@permitry/protocol';
import type { NotificationKind } from './kinds.ts';

/** One thing to say to people, and perhaps in a project's chat, over whatever channels they have. */
export interface Notice {
  causeId: string;
  kind: NotificationKind;
  projectId: string;
  /** Null: it is about a policy change, a webhook or an agent. `detail` names it, and it has no risk of its own. */
  intentId: string | null;
  riskTier: RiskTier | null;
  detail?: JsonObject;
  userIds: readonly string[];
  /** Whether the project's chat is notified as well. */
  forChat: boolean;
}
