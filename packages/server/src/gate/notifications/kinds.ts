/**
 * What people are told of. `waiting`: an intent waits for you. `reminder`: it still does, and soon expires. `decided`:
 * what you or your agents asked for was decided, or expired. `resolved`: what waited for you was decided by others, or
 * expired. `more_time`: an approver asks you to ask again, with more time. `revoked`: an approval you gave was taken back. `security`: your account. `test`: you asked for it.
 */
export const NOTIFICATION_KINDS = [
  'waiting',
  'reminder',
  'decided',
  'resolved',
  'more_time',
  'revoked',
  'security',
  'test',
] as const;
export type NotificationKind = (typeof NOTIFICATION_KINDS)[number];

/** Those a person chooses about. */
export const CHOSEN_KINDS = ['waiting', 'reminder', 'decided', 'resolved', 'revoked', 'security'] as const;
export type ChosenKind = (typeof CHOSEN_KINDS)[number];

/** Those a project's chat may be told of. */
export const CHAT_KINDS = ['waiting', 'reminder', 'decided', 'revoked'] as const;
export type ChatKind = (typeof CHAT_KINDS)[number];
