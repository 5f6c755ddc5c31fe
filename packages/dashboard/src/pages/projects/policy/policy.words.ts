/** Texts of the policy page: the frame around its tabs, and words that several tabs share. */
import type { ReactNode } from 'react';
import { formatCount } from '../../../ui/format.ts';
import { say } from '../../../ui/say.ts';

export const title = 'Policy';
export const lead =
  'Rules say which actions are allowed, which are denied, and which require approval. Their order doesn’t matter: Deny overrides Require approval, and Require approval overrides Allow.';

export const tabs = {
  rules: 'Rules',
  test: 'Test',
  versions: 'Versions',
  shadow: 'Shadow',
  twoPersonRule: 'Two-person rule',
} as const;

export const active = (version: ReactNode, by: ReactNode, when: ReactNode) =>
  say`${version} is active, published by ${by}, ${when}.`;
export const versionName = (version: number) => `Version ${version}`;
export const discard = 'Discard draft';
export const reviewDraft = 'Review draft';
export const discardDialog = {
  title: 'Discard your draft?',
  consequence: 'Your changes will be lost. The active policy doesn’t change.',
} as const;

export const problems = (count: number) => `${formatCount(count)} ${count === 1 ? 'problem' : 'problems'}`;
export const noProblems = 'No problems';
export const noChanges = 'No changes';
export const notChecked = 'Not checked: the gate can’t be reached';
export const checking = 'Checking…';

export const newerVersion = (version: number) => `Version ${version} was published while you were editing.`;
export const viewChanges = 'View changes';

export const reviewTitles = {
  draft: 'Review your draft',
  rollBack: (version: number) => `Roll back to version ${version}`,
  shadow: 'Publish the shadow policy',
} as const;

export const requests = (count: number) => `${formatCount(count)} ${count === 1 ? 'request' : 'requests'}`;
export const times = (count: number) => `${formatCount(count)} ${count === 1 ? 'time' : 'times'}`;
export const impact = 'Impact (last 30 days)';
export const changesFrom = (version: number) => `Changes from version ${version}`;

/** A rule's effect, as a label. */
export const effects = { allow: 'Allow', require_approval: 'Require approval', deny: 'Deny' } as const;
/** The same for a request, within a sentence. */
export const decisions = { allow: 'allowed', require_approval: 'sent for review', deny: 'denied' } as const;
export const byRule = (rule: ReactNode) => say`by “${rule}”`;
export const byDefault = 'by default';
/** What a rule decides besides its effect. */
export const details: Readonly<Record<string, string>> = {
  requirement: 'required approvals',
  risk_tier: 'risk',
  proof_tier: 'proof of presence',
  expires_in: 'time to decide',
  permit_ttl: 'permit lifetime',
};
export const directions = { stricter: 'Stricter', looser: 'Looser', mixed: 'Mixed' } as const;

export const proofs = {
  none: 'None',
  session: 'Session',
  device: 'Device key',
  passkey: 'Passkey',
} as const;
