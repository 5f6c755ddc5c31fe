import { isUnmarked } from '@permitry/protocol/list-row';
import type { Wire } from '../../api/wire.ts';

/** An intent as one line of a list. */
export type InboxItem = Wire<'InboxItem'>;
export type InboxPage = Wire<'InboxPage'>;

/** What became of it and by whose word: `denied by ann@example.org`, `approved by you`. */
export function sayEnd(item: InboxItem, me: string): string {
  if (item.status === 'expired') return 'expired without enough approvals';
  return item.resolved_by === item.requester.id ? sayBy(item, me) : `${item.status} ${sayBy(item, me)}`;
}

/** By whose word it ended: `by ann@example.org`, `by you`, `by policy, rule big refunds`, `withdrawn …`. */
export function sayBy({ resolved_by: by, requester }: InboxItem, me: string): string {
  if (by === null) return '';
  if (by === requester.id) return 'withdrawn by the requester';
  if (by.startsWith('policy:')) return `by policy, rule ${by.slice('policy:'.length)}`;
  return by === me ? 'by you' : `by ${by}`;
}

/** What the requester calls itself, and whose credential it used where that is another name. */
export function sayRequester({ source, requester }: InboxItem): string {
  return source === null || source === requester.display
    ? requester.display
    : `${source} (${requester.display})`;
}

const NAMES: Readonly<Record<string, string>> = {
  'role:approver': 'any approver',
  'role:admin': 'any admin',
  'role:owner': 'an owner',
};

/** Name of an entry of a requirement as people say it: `any approver`, `finance`. */
export function sayFrom(name: string): string {
  return NAMES[name] ?? name;
}

/** Why it is approved on its own page only, as a sentence; null where the list may, or the reader may not at all. */
export function sayOwnPage(item: InboxItem): string | null {
  if (!item.can_decide || item.in_place) return null;
  if (item.risk_tier === 'high' || item.risk_tier === 'critical') return 'Open to review: high risk.';
  if (item.denied_lately) return `Open to review: ${item.denied_lately.by} denied an identical request.`;
  switch (item.own_page) {
    case 'approved_lately':
      return 'Open to review: an identical request was approved in the last 24 hours.';
    case 'cut':
      return 'Open to review: too long for the list.';
    case 'marked':
      return 'Open to review: it contains marked characters.';
    case 'first_approval':
      return 'Open to review: this action hasn’t been approved in this project before.';
    default:
      return 'Open to review: it needs more than your sign-in.';
  }
}

/** The item as its row is drawn. What a row cuts or marks is not approved in the list, whatever the gate says. */
export function asDrawn(item: InboxItem): InboxItem {
  if (!item.in_place) return item;
  const { params_preview: params, words, action, source, requester } = item;
  const isWhole = params.more === 0 && (words?.more ?? 0) === 0;
  const texts = [action, source ?? '', requester.display, params.text, words?.text ?? ''];
  if (isWhole && texts.every(isUnmarked)) return item;
  return { ...item, in_place: false, own_page: isWhole ? 'marked' : 'cut' };
}
