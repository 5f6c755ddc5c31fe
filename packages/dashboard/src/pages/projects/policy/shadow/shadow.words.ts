/** Texts of the shadow policy. */
import type { ReactNode } from 'react';
import { formatCount } from '../../../../ui/format.ts';
import { say } from '../../../../ui/say.ts';
import { requests, times } from '../policy.words.ts';

export const title = 'Shadow policy';
export const none = {
  title: 'No shadow policy',
  lead: 'A shadow policy evaluates every new request beside the active policy, without affecting it. It shows what a draft would decide before you publish it.',
} as const;
export const start = 'Run draft as shadow policy';
export const replace = 'Replace with draft';
export const needsDraft = 'To start one, first edit the policy. The draft must have no problems.';
export const started = 'The shadow policy evaluates every request from now on.';
export const review = 'Review and publish';
export const stop = 'Stop shadow policy';
export const stopDialog = {
  title: 'Stop the shadow policy?',
  consequence: 'Its results so far will be deleted. The active policy doesn’t change.',
} as const;

export const since = (when: ReactNode, by: ReactNode) => say`Started by ${by}, ${when}.`;
export const results = (evaluated: number, different: number) =>
  `Evaluated ${requests(evaluated)}, ${formatCount(different)} with a different result from the active policy.`;
export const changes = 'Changes from the active policy';

export const differences = 'Differences';
export const noDifferences = 'No differences so far.';
export const latest = 'Latest differences';
export const difference = (active: ReactNode, shadow: ReactNode) =>
  say`Active: ${active} · Shadow: ${shadow}`;
export const failed = (rule: ReactNode, count: number) =>
  say`The condition of “${rule}” could not be evaluated ${times(count)}.`;
