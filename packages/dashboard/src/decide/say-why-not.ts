import type { ShownIntent } from './check-hashes.ts';

type WhyNot = NonNullable<ShownIntent['why_not']>;

const WHY_NOT: Record<Exclude<WhyNot, 'resolved'>, string> = {
  viewer: 'You are a viewer in this project. Viewers can see requests but not decide them.',
  not_an_approver: 'You’re not an approver for this request.',
  own_request:
    'In live mode, another person must approve this: you resubmitted it, or a program of its requester made you a member.',
  person_required: 'This request needs a person, signed in.',
  already_voted: 'You approved this. More approvals are needed before it can run.',
  policy_denies: 'Policy now denies this action, so it can’t be approved. Deny it, or let it expire.',
};

/** Why the reader can’t approve a pending request, as a sentence. */
export function sayWhyNot(why: WhyNot | null): string | null {
  return why === null || why === 'resolved' ? null : WHY_NOT[why];
}
