import { addSeconds, type Instant, millisecondsBetween } from '../../gate/kernel/instant.ts';
import type { Telling } from '../../gate/notifications/to-telling.ts';
import { toInertLine } from '../inert-text.ts';
import type { PushEnvelope, PushPayload } from '../push/push-message.ts';
import { UTC } from '../time-text.ts';
import { headlineOf } from './headline.ts';
import type { Tellings } from './to-mail.ts';
import { toWords } from './to-words.ts';

/** At most this many items are shown one by one. More would bury the screen. */
const MOST_SINGLE = 3;
const DAY_SECONDS = 24 * 60 * 60;

export interface PushMessage {
  payload: PushPayload;
  envelope: PushEnvelope;
}

/** The messages that notify one device of all items. */
export function toPushMessages(tellings: Tellings, unlisted: number, now: Instant): PushMessage[] {
  if (tellings.length <= MOST_SINGLE && unlisted === 0) {
    return tellings.map((telling) => toSingle(telling, now));
  }
  return [
    {
      payload: {
        title: headlineOf(tellings, unlisted, 'person'),
        body: 'Open the inbox to see them.',
        path: '/inbox',
        tag: 'many',
        lasting: false,
      },
      envelope: { ttlSeconds: DAY_SECONDS, urgency: tellings.some(isUrgent) ? 'high' : 'normal' },
    },
  ];
}

function toSingle(telling: Telling, now: Instant): PushMessage {
  const { title, lead, path } = toWords(telling, UTC);
  const asks = telling.kind === 'waiting' || telling.kind === 'reminder';
  const about = 'intent' in telling ? telling : null;
  const body = about
    ? [`${about.intent.riskTier} risk`, toInertLine(about.project.name, 60)].join(' · ')
    : leadOf(telling, lead);
  const until = about && asks ? about.intent.expiresAt : addSeconds(now, DAY_SECONDS);
  return {
    payload: {
      title,
      body,
      path,
      tag: about?.intent.id ?? tagOf(telling),
      lasting: asks,
    },
    envelope: {
      ttlSeconds: Math.min(millisecondsBetween(now, until) / 1000, DAY_SECONDS),
      urgency: isUrgent(telling) ? 'high' : 'normal',
    },
  };
}

/** A message replaces an earlier one with the same tag. */
function tagOf(telling: Telling): string {
  if ('proposal' in telling) return telling.proposal.id;
  if ('agent' in telling) return telling.agent.id;
  return 'webhook' in telling ? telling.webhook.id : telling.kind;
}

/** Notices about a policy change, a webhook or an agent begin with the name of their project. */
function leadOf(telling: Telling, lead: string): string {
  return 'proposal' in telling || 'webhook' in telling || 'agent' in telling
    ? `${toInertLine(telling.project.name, 60)} · ${lead}`
    : lead;
}

function isUrgent(telling: Telling): boolean {
  if (telling.kind === 'security') return true;
  const asks = telling.kind === 'waiting' || telling.kind === 'reminder';
  return asks && (telling.intent.riskTier === 'high' || telling.intent.riskTier === 'critical');
}
