/**
 * What people are told of. `waiting`: an intent waits for you. `reminder`: it still does, and soon expires. `decided`:
 * what you or your agents asked for was decided, or expired. `resolved`: what waited for you was decided by others, or
 * expired. `more_time`: an approver asks you to ask again, with more time. `revoked`: an approval you gave was taken back.
 * `proposed`: a change of a policy waits for you as the second person. `proposal_ended`: one that you proposed was
 * approved or rejected, or cannot be approved any more. `webhook_disabled`: the gate disabled one of a project you manage.
 * `agent_owner_left`: the keys of an agent of a project you manage end soon, because its owner left.
 * `security`: your account. `test`: you asked for it.
 */
export type NotificationKind =
  | ChosenKind
  | 'more_time'
  | 'proposal_ended'
  | 'webhook_disabled'
  | 'agent_owner_left'
  | 'test';

/** Those a person chooses about. */
export type ChosenKind =
  | 'waiting'
  | 'reminder'
  | 'decided'
  | 'resolved'
  | 'revoked'
  | 'proposed'
  | 'security';

/** Those a project's chat may be told of. */
export type ChatKind = 'waiting' | 'reminder' | 'decided' | 'revoked' | 'proposed';
