import { isUnmarked } from '@permitry/protocol/list-row';
import type { Wire } from '../../api/wire.ts';
import * as words from './request-list.words.ts';

/** An intent as one line of a list. */
export type InboxItem = Wire<'InboxItem'>;
export type InboxPage = Wire<'InboxPage'>;

/** How the request ended and by whom: `denied by ann@example.org`, `approved by you`. */
export function sayEnd(item: InboxItem, me: string): string {
  if (item.status === 'expired') return words.expired;
  return item.resolved_by === item.requester.id ? sayBy(item, me) : `${item.status} ${sayBy(item, me)}`;
}

/** Who ended it: `by ann@example.org`, `by you`, `by policy, rule big refunds`, `withdrawn …`. */
export function sayBy({ resolved_by: by, requester }: InboxItem, me: string): string {
  if (by === null) return '';
  if (by === requester.id) return words.withdrawn;
  if (by.startsWith('policy:')) return words.byPolicy(by.slice('policy:'.length));
  return by === me ? words.byYou : words.by(by);
}

/** The name that the requester gives itself, and the name of its credential where that differs. */
export function sayRequester({ source, requester }: InboxItem): string {
  return source === null || source === requester.display
    ? requester.display
    : `${source} (${requester.display})`;
}

/**
 * Why people approve the request only on its own page. Null when they can approve it in the list, or when the reader
 * may not approve it at all.
 */
export function sayOwnPage(item: InboxItem): string | null {
  if (!item.can_decide || item.in_place) return null;
  if (item.risk_tier === 'high' || item.risk_tier === 'critical') return words.openHighRisk;
  if (item.denied_lately) return words.openDenied(item.denied_lately.by);
  switch (item.own_page) {
    case 'approved_lately':
      return words.openApproved;
    case 'cut':
      return words.openTooLong;
    case 'marked':
      return words.openMarked;
    case 'first_approval':
      return words.openFirstApproval;
    default:
      return words.openProof;
  }
}

/**
 * The item as its row shows it. The list does not approve an item that its row shortens or marks, whatever the gate
 * says.
 */
export function asDrawn(item: InboxItem): InboxItem {
  if (!item.in_place) return item;
  const { params_preview: params, words: explanation, action, source, requester } = item;
  const isWhole = params.more === 0 && (explanation?.more ?? 0) === 0;
  const texts = [action, source ?? '', requester.display, params.text, explanation?.text ?? ''];
  if (isWhole && texts.every(isUnmarked)) return item;
  return { ...item, in_place: false, own_page: isWhole ? 'marked' : 'cut' };
}
