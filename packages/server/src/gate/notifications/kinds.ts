/**
 * The kinds of notification.
 * `waiting`: an intent needs your review. `reminder`: the intent still needs it, and expires soon.
 * `decided`: a request that you or your agents sent was decided, or expired.
 * `resolved`: others decided an intent that needed your review, or the intent expired.
 * `more_time`: an approver asks you to resubmit with more time. `revoked`: an approval you gave was revoked.
 * `proposed`: a policy change needs your approval as the second person.
 * `proposal_ended`: a policy change that you proposed was approved or rejected, or can no longer be approved.
 * `webhook_disabled`: the gate disabled a webhook of a project you manage.
 * `agent_owner_left`: the keys of an agent of a project you manage end soon, because its owner left.
 * `security`: something happened to your account. `test`: you requested a test.
 */
export type NotificationKind =
  | ChosenKind
  | 'more_time'
  | 'proposal_ended'
  | 'webhook_disabled'
  | 'agent_owner_left'
  | 'test';

/** The kinds that a person can turn on or off. */
export type ChosenKind =
  | 'waiting'
  | 'reminder'
  | 'decided'
  | 'resolved'
  | 'revoked'
  | 'proposed'
  | 'security';

/** The kinds that a project's chat can receive. */
export type ChatKind = 'waiting' | 'reminder' | 'decided' | 'revoked' | 'proposed';
