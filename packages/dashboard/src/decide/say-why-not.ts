import type { ShownIntent } from './check-hashes.ts';
import * as words from './why-not.words.ts';

type WhyNot = NonNullable<ShownIntent['why_not']>;

const WHY_NOT: Record<Exclude<WhyNot, 'resolved'>, string> = {
  viewer: words.viewer,
  not_an_approver: words.notAnApprover,
  own_request: words.ownRequest,
  person_required: words.personRequired,
  already_voted: words.alreadyApproved,
  policy_denies: words.deniedByPolicy,
};

/** Why the reader can’t approve a pending request, as a sentence. */
export function sayWhyNot(why: WhyNot | null): string | null {
  return why === null || why === 'resolved' ? null : WHY_NOT[why];
}
