import type { InboxPage as PageSchema, InboxItem as Schema } from '@permitry/protocol/schemas';
import type { Static } from 'typebox';

/** An intent as one line of a list. */
export type InboxItem = Static<typeof Schema>;
export type InboxPage = Static<typeof PageSchema>;

/** By whose word it ended, in words: `denied by ann@example.org`. */
export function sayEnd({ status, resolved_by: by, requester }: InboxItem): string {
  if (status === 'pending') return 'waiting';
  if (status === 'expired') return 'expired before enough people had decided';
  if (by === null) return status;
  if (by.startsWith('policy:')) return `${status} by policy, rule ${by.slice('policy:'.length)}`;
  return by === requester.id ? 'withdrawn by the requester' : `${status} by ${by}`;
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
