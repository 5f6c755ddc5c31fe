/** Texts of the review before a policy is published: its impact on past requests, and its differences. */
import type { ReactNode } from 'react';
import { formatCount } from '../../../../ui/format.ts';
import { say } from '../../../../ui/say.ts';
import { requests, times, versionName } from '../policy.words.ts';

export const goBack = 'Go back';
export const publish = 'Publish';
export const propose = 'Propose change';
export const stillSimulating = 'The simulation is running. Stop it to continue without its result.';
export const conflict = {
  title: 'Someone else published another version in the meantime.',
  nothingSaved: 'Nothing was saved.',
  view: 'View their changes',
} as const;
export const notSaved = 'The change was not saved.';
export const comment = {
  label: 'Comment',
  hint: 'For the admin or owner who must approve this change. Nothing changes until then.',
} as const;
export const published = (version: number) => `Version ${version} is now active.`;
export const proposed = 'Proposed. Another admin or owner must approve the change.';

export const conflictDialog = {
  title: 'Changes published by someone else',
  discardMine: 'Discard my draft',
  keepMine: 'Keep my draft (replaces theirs when published)',
  keepConsequence:
    'If you keep your draft and publish it, it undoes each of their changes that it doesn’t contain. You review everything again before you publish.',
} as const;
export const theirs = (version: number, by: ReactNode, when: ReactNode) =>
  say`${versionName(version)} by ${by}, ${when}, compared with the version you started from:`;

export const asJson = 'As JSON';
export const noDifference = 'No changes, except in order or formatting.';
export const name = 'Name';
export const renamed = (name: ReactNode, before: ReactNode, after: ReactNode) =>
  say`${name} changed from “${before}” to “${after}”`;
export const kinds = { added: 'Added', removed: 'Removed', changed: 'Changed' } as const;
export const before = 'Before:';
export const after = 'After:';
export const byDefault = 'Default';
export const mayNarrow = 'Requests can choose among the required approvers.';
export const mayNotNarrow = 'Requests can no longer choose among the required approvers.';

export const simulationFailed = 'The simulation failed.';
export const simulationStopped = 'Simulation stopped. The impact on the last 30 days is not known.';
export const runSimulation = 'Run simulation';
export const simulating = 'Simulating the last 30 days';
export const progress = (scanned: number, total: number, changed: number) =>
  `${formatCount(scanned)} of ${requests(total)} simulated, ${formatCount(changed)} changed`;
export const stopSimulation = 'Stop simulation';
export const simulatedOn = (count: number) => `Simulated on ${requests(count)} of the last 30 days.`;
export const skipped = (count: number) =>
  `${requests(count)} ${count === 1 ? 'was' : 'were'} left out because some of their data was erased.`;
export const incomplete = 'The simulation ran out of time before it reached every request.';
export const noRequests =
  'There were no requests to simulate in the last 30 days, so the impact is not known.';
export const noDecisionChanges = 'No decisions would change.';
export const onlyDetailsChange =
  'Every request would still be allowed, sent for review or denied as before. Only the details below would change.';
export const allChanges = (count: number) => `All changes from the active policy (${formatCount(count)})`;
export const otherDetails = (details: readonly string[]) => `different ${details.join(', ')}`;
export const example = (number: number) => `Example request ${number}: `;
export const failures = {
  title: 'Some conditions could not be evaluated',
  consequence:
    'A rule whose condition can’t be evaluated applies if it denies or requires approval. It does not apply if it allows.',
} as const;
export const failure = (rule: ReactNode, count: number, message: ReactNode) =>
  say`“${rule}”, ${times(count)}: ${message}`;
export const interrupted = 'The simulation was interrupted. Try again.';

/** What the draft would do with requests that people or the policy had decided otherwise. */
export const would = {
  allowDenied: (count: number) => `Would allow ${requests(count)} that people denied`,
  allowRefused: (count: number) => `Would allow ${requests(count)} that policy denied`,
  allowApproved: (count: number) => `Would allow ${requests(count)} that people approved`,
  allowExpired: (count: number) => `Would allow ${requests(count)} that expired without a decision`,
  allowPending: (count: number) =>
    `Would allow ${formatCount(count)} pending ${count === 1 ? 'request' : 'requests'}`,
  reviewRefused: (count: number) => `Would require approval for ${requests(count)} that policy denied`,
  reviewAllowed: (count: number) => `Would require approval for ${requests(count)} that policy allowed`,
  denyAllowed: (count: number) => `Would deny ${requests(count)} that policy allowed`,
  denyApproved: (count: number) => `Would deny ${requests(count)} that people approved`,
  denyDenied: (count: number) => `Would deny, without review, ${requests(count)} that people denied`,
  denyExpired: (count: number) => `Would deny ${requests(count)} that expired without a decision`,
  denyPending: (count: number) =>
    `Would deny ${formatCount(count)} pending ${count === 1 ? 'request' : 'requests'}`,
} as const;
