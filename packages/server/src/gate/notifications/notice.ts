import type { JsonObject, RiskTier } from '@permitry/protocol';
import type { NotificationKind } from './kinds.ts';

/** One message to people, and perhaps to a project's chat, over whatever channels they have. */
export interface Notice {
  causeId: string;
  kind: NotificationKind;
  projectId: string;
  /**
   * Null: the notice is about a policy change, a webhook or an agent. `detail` then names the subject, which has no
   * risk of its own.
   */
  intentId: string | null;
  riskTier: RiskTier | null;
  detail?: JsonObject;
  userIds: readonly string[];
  /** Whether the project's chat gets the notice as well. */
  forChat: boolean;
}
