/**
 * Messages for incoming webhooks of Slack, and of chats that accept the same form (Mattermost, Rocket.Chat, Discord).
 */
import type { RiskTier } from '@permitry/protocol';
import type { Telling } from '../../gate/notifications/to-telling.ts';
import { beware } from '../beware.ts';
import { headlineOf } from '../notifications/headline.ts';
import type { Tellings } from '../notifications/to-mail.ts';
import { toWords } from '../notifications/to-words.ts';
import { UTC } from '../time-text.ts';

interface ChatAttachment {
  color: string;
  fallback: string;
  title: string;
  title_link: string;
  text: string;
  fields: { title: string; value: string; short: boolean }[];
}

export interface ChatMessage {
  text: string;
  attachments: ChatAttachment[];
}

const COLOURS: Record<RiskTier, string> = {
  low: '#5a6070',
  medium: '#1f4fd8',
  high: '#c2570c',
  critical: '#b3261e',
};

/** Nobody reads more items in one message. */
const MOST_LISTED = 10;
const SHORT = 40;

/** One message for all items. */
export function toChatMessage(tellings: Tellings, unlisted: number, baseUrl: string): ChatMessage {
  const listed = tellings.slice(0, MOST_LISTED);
  const more = tellings.length - listed.length + unlisted;
  const [first] = tellings;
  return {
    text:
      tellings.length === 1 && unlisted === 0
        ? toChatText(toWords(first, UTC).lead)
        : `${headlineOf(tellings, unlisted, 'chat')}.${more > 0 ? ` The inbox shows the others: <${baseUrl}/inbox>` : ''}`,
    attachments: listed.map((telling) => toAttachment(telling, baseUrl)),
  };
}

function toAttachment(telling: Telling, baseUrl: string): ChatAttachment {
  const { title, facts, path, linkLabel } = toWords(telling, UTC);
  const link = `${baseUrl}${path}`;
  return {
    color: 'intent' in telling ? COLOURS[telling.intent.riskTier] : COLOURS.medium,
    fallback: toChatText(title),
    title: linkLabel,
    title_link: link,
    text: toChatText(title),
    fields: [...facts, ...beware([title, ...facts.map(({ value }) => value)])].map(({ name, value }) => ({
      title: name,
      value: toChatText(value),
      short: value.length <= SHORT,
    })),
  };
}

/**
 * Keeps a text literal: in a code span, marks, links, names of people and `@channel` have no effect. Escapes the three
 * characters of Slack's own syntax as Slack requires, and names the character that would end the span.
 */
function toChatText(text: string): string {
  const inert = text
    .replaceAll('`', '⟨U+0060⟩')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');
  return inert === '' ? '' : `\`${inert}\``;
}
