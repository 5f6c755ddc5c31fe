import type { Telling } from '../../gate/notifications/to-telling.ts';
import { toInertLine } from '../inert-text.ts';
import { composeMail, type MailContent, type MailLink } from '../mail/compose-mail.ts';
import type { Mail } from '../mail/mailer.ts';
import { headlineOf } from './headline.ts';
import { toWords } from './to-words.ts';

/** A mail lists at most this many items, and gives the number of the rest. */
const MOST_LISTED = 20;

const ASKING: ReadonlySet<Telling['kind']> = new Set(['waiting', 'reminder', 'proposed']);

const PREFERENCES_PATH = '/account/notifications';

export type Tellings = readonly [Telling, ...Telling[]];

/**
 * The mail that notifies one person of all items. `unlisted`: how many further items the outbox only counted, because
 * it could not keep them.
 *
 * @param to.timeZone The zone in which the mail gives times.
 */
export function toMail(
  to: { userId: string; address: string; timeZone: string },
  tellings: Tellings,
  { baseUrl, unlisted }: { baseUrl: string; unlisted: number },
): Mail {
  const [first] = tellings;
  const preferencesUrl = `${baseUrl}${PREFERENCES_PATH}`;
  if (tellings.length > 1 || unlisted > 0) {
    const content = toDigest(tellings, { timeZone: to.timeZone, unlisted, baseUrl });
    return { to: to.address, ...composeMail(content), preferencesUrl };
  }
  const mail = { to: to.address, ...composeMail(toSingle(first, to.timeZone, baseUrl)) };
  // Notices about the account cannot be turned off, so there is nothing to unsubscribe from.
  return first.kind === 'security' ? mail : { ...mail, ...threadOf(first, to.userId), preferencesUrl };
}

function toSingle(telling: Telling, timeZone: string, baseUrl: string): MailContent {
  const { title, lead, facts, path, linkLabel } = toWords(telling, timeZone);
  const project = telling.project ? `[${toInertLine(telling.project.name, 40)}] ` : '';
  return {
    subject: `${project}${title}`,
    body: [lead, ...(facts.length > 0 ? [facts] : [])],
    link: { label: linkLabel, url: `${baseUrl}${path}` },
    footer:
      telling.kind === 'security'
        ? ['You are receiving this email because it concerns your account.']
        : footer(baseUrl, ASKING.has(telling.kind)),
  };
}

function toDigest(
  tellings: Tellings,
  { timeZone, unlisted, baseUrl }: { timeZone: string; unlisted: number; baseUrl: string },
): MailContent {
  const listed = tellings.slice(0, MOST_LISTED);
  const more = tellings.length - listed.length + unlisted;
  return {
    subject: headlineOf(tellings, unlisted, 'person'),
    body: [
      'This happened since the last email:',
      { links: listed.map((telling) => toLink(telling, timeZone, baseUrl)) },
      ...(more > 0 ? [`And ${more} more. Open the inbox to see them.`] : []),
    ],
    link: { label: 'Open inbox', url: `${baseUrl}/inbox` },
    footer: footer(baseUrl, true),
  };
}

function toLink(telling: Telling, timeZone: string, baseUrl: string): MailLink {
  const { title, path } = toWords(telling, timeZone);
  const risk = 'intent' in telling ? ` (${telling.intent.riskTier} risk)` : '';
  return { label: `${title}${risk}`, url: `${baseUrl}${path}` };
}

function footer(baseUrl: string, decides: boolean): string[] {
  return [
    ...(decides ? ['Opening a link never decides anything.'] : []),
    `Choose which emails you get: ${baseUrl}${PREFERENCES_PATH}`,
  ];
}

/** Threads mails about one intent together. Each person has their own thread. */
function threadOf(telling: Telling, userId: string): Pick<Mail, 'id' | 'continues'> {
  if (!('intent' in telling)) return {};
  const start = `${telling.intent.id}.waiting.${userId}`;
  if (telling.kind === 'waiting') return { id: start };
  return { id: `${telling.intent.id}.${telling.kind}.${userId}`, continues: [start] };
}
