import type { InboxPage as PageSchema, InboxItem as Schema } from '@permitry/protocol/schemas';
import type { Static } from 'typebox';

/** An intent as one line of a list. */
export type InboxItem = Static<typeof Schema>;
export type InboxPage = Static<typeof PageSchema>;

/** What became of it and by whose word: `denied by ann@example.org`, `approved by you`. */
export function sayEnd(item: InboxItem, me: string): string {
  if (item.status === 'expired') return 'expired before enough people had decided';
  return item.resolved_by === item.requester.id ? sayBy(item, me) : `${item.status} ${sayBy(item, me)}`;
}

/** By whose word it ended: `by ann@example.org`, `by you`, `by policy, rule big refunds`, `withdrawn …`. */
export function sayBy({ resolved_by: by, requester }: InboxItem, me: string): string {
  if (by === null) return '';
  if (by === requester.id) return 'withdrawn by the requester';
  if (by.startsWith('policy:')) return `by policy, rule ${by.slice('policy:'.length)}`;
  return by === me ? 'by you' : `by ${by}`;
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

/** Why I cannot approve it, as a sentence. */
export function sayWhyNot(item: InboxItem): string | null {
  switch (item.why_not) {
    case 'viewer':
      return 'You are a viewer in this project. Approvers decide.';
    case 'not_an_approver':
      return 'Others decide this one.';
    case 'own_request':
      return 'You asked for this yourself, so somebody else decides.';
    case 'already_voted':
      return 'You have approved it. Others must follow.';
    case 'policy_denies':
      return 'Policy denies this by now.';
    default:
      return null;
  }
}
