/** Texts of policy changes that another person must approve, and of the two-person rule. */
import type { ReactNode } from 'react';
import { say } from '../../../../ui/say.ts';

export const titles = {
  policy: 'A policy change needs another admin or owner',
  second_person_off: 'Turning off the two-person rule needs another admin or owner',
  agent: 'A change to an agent needs another admin or owner',
} as const;
export const you = 'You';
export const proposed = (who: ReactNode, what: ReactNode, when: ReactNode) =>
  say`${who} proposed ${what}, ${when}.`;
export const changeToVersion = (version: number) => `a change to version ${version}`;
export const secondPersonOff = 'turning off the two-person rule';
export const secondPersonOffConsequence =
  'If this is approved, a single admin or owner can change the policy from then on.';
export const changeToAgent = (name: ReactNode) => say`a change to the agent ${name}`;
export const changeToAnAgent = 'a change to an agent';

export const stale = 'This change can no longer be approved.';
export const staleWhy = (basedOn: number, active: number) =>
  `It is based on version ${basedOn}, and version ${active} has been published since. Propose it again, based on version ${active}.`;
export const viewChanges = 'View changes';
export const hideChanges = 'Hide changes';
export const approve = 'Approve change';
export const reject = 'Reject change';
export const withdraw = 'Withdraw change';
export const needsAnother = 'Another admin or owner must approve it.';
export const rejectDialog = 'Reject this change?';
export const reason = 'Reason';
export const done = {
  approve: 'Change approved. It applies from the next request.',
  reject: 'Change rejected. Nothing changed.',
  withdraw: 'Change withdrawn. Nothing changed.',
} as const;

/** The names that the agent's page uses. */
export const agentProperties: Readonly<Record<string, string>> = {
  name: 'Name',
  fingerprint: 'Fingerprint',
  framework: 'Framework',
  labels: 'Labels',
  risk_tier: 'Minimum risk',
  owner_id: 'Owner',
};
export const notSet = 'Not set';
export const labelChanges = { added: 'added', removed: 'removed', changed: 'changed' } as const;

export const ruleOn = {
  title: 'Policy changes need two people',
  text: 'One admin or owner proposes a change, and another one must approve it before it is published. Turning this off needs two people as well.',
  button: 'Propose turning this off',
  started: 'Policy changes now need two people.',
} as const;
export const ruleOff = {
  title: 'One person can change this policy',
  text: 'If you require two people, a change that one admin or owner proposes is published only when another one approves it.',
  button: 'Require two people for policy changes',
  started: 'One person can change the policy again.',
} as const;
export const offProposed = 'Proposed. Another admin or owner must approve it.';
export const onlyLive = 'This is a test project. Only live projects can require two people.';
export const onlyOwners = 'Only an owner can change this.';
export const ruleLimits =
  'The rule covers changes to the policy. While it is on, only an owner can give a member the role Admin or Owner. Other members and the members of groups also determine who can approve requests: a single admin can change them, and the audit log records it. Where this matters, require a person by email address, or role:owner, in a rule.';
