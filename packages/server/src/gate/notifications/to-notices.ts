/** Turns an event of the log into notices and their recipients. Reads only committed data, and writes nothing. */
import { peopleBehind } from '../approvals/people-behind.ts';
import type { SealedEvent } from '../audit/audit-event.ts';
import { askPolicy, votingTermsOf } from '../intents/ask-policy.ts';
import type { Intent } from '../intents/intent.ts';
import { findIntentAgent } from '../intents/policy-request.ts';
import { addSeconds, type Instant } from '../kernel/instant.ts';
import { toAgentNotices } from './agent-notices.ts';
import type { Notice } from './notice.ts';
import type { NotificationDeps } from './notification-deps.ts';
import { toProposalNotices } from './proposal-notices.ts';
import { reminderTime } from './reminder-time.ts';
import { toWebhookNotices } from './webhook-notices.ts';
import type { Waiting } from './who-is-asked.ts';
import { whoIsAsked } from './who-is-asked.ts';

export interface Notices {
  notices: readonly Notice[];
  /** When to send the intent's reminder. Undefined: no change. Null: no reminder. */
  remindAt?: Instant | null;
}

/** The events that cause notifications. */
export const NOTIFIED_EVENTS = [
  'intent.created',
  'intent.approved',
  'intent.denied',
  'intent.expired',
  'permit.revoked',
  'extension.requested',
  'policy.proposed',
  'policy.proposal_rejected',
  'policy.updated',
  'policy.second_person_updated',
  'webhook.disabled',
  'agent.owner_left',
  'agent.keys_ending',
] as const;

/** Older events cause no notifications, so that nobody is flooded after the gate was down for long. */
const NEWS_SECONDS = 24 * 60 * 60;

const NOTHING: Notices = { notices: [] };

export async function toNotices(gate: NotificationDeps, event: SealedEvent): Promise<Notices> {
  const { type, intentId, actor, data } = event;
  if (event.occurredAt < addSeconds(gate.clock.now(), -NEWS_SECONDS)) return NOTHING;
  if (type === 'webhook.disabled') return { notices: await toWebhookNotices(gate, event) };
  if (type === 'agent.owner_left' || type === 'agent.keys_ending')
    return { notices: await toAgentNotices(gate, event) };
  if (intentId === null) return { notices: await toProposalNotices(gate, event) };
  // The policy alone decides most requests, and nobody reviews them. So these events are skipped before their intent is
  // read.
  if (type === 'intent.created' && data.decision !== 'require_approval') return NOTHING;
  if (type === 'intent.approved' && actor.type === 'policy') return NOTHING;
  const intent = await gate.storage.read.findIntent(intentId);
  if (!intent || intent.erasedAt !== null || intent.decision !== 'require_approval') return NOTHING;
  const base = {
    causeId: event.id,
    projectId: event.projectId,
    intentId,
    riskTier: intent.riskTier,
  };
  switch (type) {
    case 'intent.created': {
      const waiting = await findWaiting(gate, intent);
      if (!waiting) return NOTHING;
      const userIds = whoIsAsked(waiting);
      return {
        notices: [{ ...base, kind: 'waiting', userIds, forChat: true }],
        remindAt: reminderTime(intent),
      };
    }
    case 'extension.requested': {
      const owner = intent.requester.ownerId;
      const userIds = owner === null || owner === actor.id ? [] : [owner];
      return { notices: [{ ...base, kind: 'more_time', userIds, forChat: false }] };
    }
    case 'permit.revoked': {
      const votes = await gate.storage.read.listApprovals(intentId);
      const approvers = votes.filter(({ decision }) => decision === 'approve').map(({ userId }) => userId);
      const userIds = approvers.filter((userId) => userId !== actor.id);
      return { notices: [{ ...base, kind: 'revoked', userIds, forChat: true }] };
    }
    default: {
      const decider = await findDecider(gate, event);
      const owner = intent.requester.ownerId;
      const notified = await gate.storage.read.listNotifiedPeople(intentId);
      const asking = owner === null || owner === decider ? [] : [owner];
      const others = notified.filter((userId) => userId !== owner && userId !== decider);
      return {
        notices: [
          { ...base, kind: 'decided', userIds: asking, forChat: true },
          { ...base, kind: 'resolved', userIds: others, forChat: false },
        ],
        remindAt: null,
      };
    }
  }
}

/** The notice for an intent whose reminder is due. */
export async function toReminder(gate: NotificationDeps, intentId: string): Promise<Notice | undefined> {
  const intent = await gate.storage.read.findIntent(intentId);
  if (!intent) return undefined;
  const waiting = await findWaiting(gate, intent);
  if (!waiting) return undefined;
  return {
    causeId: `reminder of ${intentId}`,
    kind: 'reminder',
    projectId: intent.projectId,
    intentId,
    riskTier: intent.riskTier,
    userIds: whoIsAsked(waiting),
    forChat: true,
  };
}

/**
 * The intent with everything needed to find its approvers now. Undefined when nobody needs to review the intent: it was
 * decided, expired or erased, or its project was stopped.
 */
export async function findWaiting(gate: NotificationDeps, intent: Intent): Promise<Waiting | undefined> {
  const now = gate.clock.now();
  if (intent.status !== 'pending' || intent.expiresAt <= now || intent.erasedAt !== null) return undefined;
  const settings = await gate.projectSettings.current(intent.projectId);
  if (settings.stoppedAt !== null) return undefined;
  const votes = intent.revision === 0 ? [] : await gate.storage.read.listApprovals(intent.id);
  const agent = await findIntentAgent(settings, intent);
  const asked = askPolicy(settings, intent, agent, now);
  // The policy now denies the intent, so an approval would only end in a denial.
  if (asked.outcome.effect === 'deny') return undefined;
  const terms = votingTermsOf(settings, intent, asked);
  return { intent, terms, behind: peopleBehind(intent, agent, settings.people), votes, now };
}

/** The person who decided the intent, and needs no notice of that. */
async function findDecider(
  gate: Pick<NotificationDeps, 'storage'>,
  { actor, intentId }: SealedEvent,
): Promise<string | null> {
  if (actor.type === 'user' || intentId === null) return actor.id;
  const votes = await gate.storage.read.listApprovals(intentId);
  return votes.find(({ credentialId }) => credentialId === actor.id)?.userId ?? null;
}
