/** Texts of the members of a project, and of its invitations. */
import type { ReactNode } from 'react';
import type { Role } from '../../../api/session.ts';
import { formatCount } from '../../../ui/format.ts';
import { say } from '../../../ui/say.ts';

export const title = 'Members';
export const lead = 'People with access to this project.';
export const memberList = 'Members of this project';
export const columns = {
  member: 'Member',
  role: 'Role',
  groups: 'Groups',
  since: 'Member since',
} as const;
export const you = 'You';
export const noGroups = 'None';
export const onlyNewest = (count: number) => `Only the newest ${formatCount(count)} members are shown.`;

export const role = 'Role';
/** From the lowest to the highest; each includes those before it. */
export const roles: Readonly<Record<Role, { label: string; hint: string }>> = {
  viewer: { label: 'Viewer', hint: 'Can view requests, members, policy and the audit log.' },
  approver: { label: 'Approver', hint: 'Can also decide requests that the policy lets them approve.' },
  admin: {
    label: 'Admin',
    hint: 'Can also manage agents, keys, members, groups and policy, and stop the project.',
  },
  owner: {
    label: 'Owner',
    hint: 'Can also make members owners, erase personal data and create projects.',
  },
};

export const changeRole = 'Change role';
export const changeRoleOf = (member: string) => `Change role of ${member}`;
export const changedRole = (member: string, role: Role) =>
  `Changed the role of ${member} to ${roles[role].label}.`;
export const currentRole = (member: ReactNode, role: Role) =>
  say`The current role of ${member} is ${roles[role].label}.`;
export const lessForThem = 'Their secret keys and access tokens can do less from the next request on.';
export const lessForYou =
  'Your secret keys and access tokens can do less from the next request on. You can’t undo this yourself.';

export const remove = 'Remove';
export const removeNamed = (member: string) => `Remove ${member}`;
export const removeTitle = 'Remove this member?';
export const removeMember = 'Remove member';
export const removed = (member: string) => `Removed ${member}.`;
export const losesAccess = (member: ReactNode) =>
  say`${member} can’t view or decide anything in this project from the next request on.`;
export const noKeys = 'They have no secret keys.';
export const keysEnd = (count: number, names: ReactNode) =>
  count === 1
    ? say`One secret key is revoked at once, and programs that use it stop working: ${names}`
    : say`${formatCount(count)} secret keys are revoked at once, and programs that use them stop working: ${names}`;
export const moreKeys = 'There may be more among older keys.';
export const agentKeysExpire = (count: number, names: ReactNode) =>
  count === 1
    ? say`The keys of their agent expire in 7 days, unless an admin takes it over: ${names}`
    : say`The keys of their agents expire in 7 days, unless an admin takes them over: ${names}`;
export const leaveGroups = (count: number, names: ReactNode) =>
  count === 1 ? say`They leave the group ${names}` : say`They leave the groups ${names}`;
export const emptyGroups = (names: ReactNode) => say`No members remain in ${names}`;
export const emptyGroupsConsequence = (count: number) =>
  `Requests that need ${count === 1 ? 'this group' : 'these groups'} can no longer be approved.`;
export const decisionsStay = 'Their decisions stay in the audit log.';

export const invite = 'Invite member';
export const email = 'Email address';
export const emailHint = 'Their decisions are recorded under this address.';

export const invitations = {
  title: 'Invitations',
  list: 'Open invitations',
  email: 'Invited',
  role: 'Role',
  by: 'Invited by',
  expires: 'Link expires',
  expired: 'Expired',
  resend: 'Resend',
  newLink: 'Create new link',
  revoke: 'Revoke',
} as const;
export const resendTo = (address: string) => `Resend the invitation to ${address}`;
export const newLinkFor = (address: string) => `Create new link for ${address}`;
export const revokeInvitationOf = (address: string) => `Revoke the invitation of ${address}`;
export const revokeTitle = 'Revoke this invitation?';
export const revokeInvitation = 'Revoke invitation';
export const revoked = 'Revoked the invitation.';
export const revokeConsequence = (address: ReactNode) => say`The link for ${address} stops working at once.`;

export const sent = {
  title: 'Invitation sent',
  share: 'Share this link',
  link: 'Invitation link',
  theLink: 'the link',
  done: 'Done',
} as const;
export const sentByEmail = (address: ReactNode) => say`${address} gets the link by email.`;
export const shareYourself = (address: ReactNode) =>
  say`This gate sends no email, so send this link to ${address} yourself. It is shown only once, and anyone who has it can join in their name.`;
export const worksOnce = (date: ReactNode) => say`The link works once, until ${date}.`;
