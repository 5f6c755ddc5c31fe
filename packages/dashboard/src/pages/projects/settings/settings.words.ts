/** Texts of the settings of a project. */
import type { ReactNode } from 'react';
import type { Mode } from '../../../api/session.ts';
import { formatCount, formatLifetime } from '../../../ui/format.ts';
import { say } from '../../../ui/say.ts';

export const title = 'Settings';

export const emergencyStop = 'Emergency stop';
export const running =
  'Running. Stopping the project immediately blocks new requests and every verification or use of a permit, for all its agents and keys.';
export const whoCanStop = 'Admins and owners can stop it.';
const untilStarted =
  'No request is accepted, and no permit is verified or used, until an admin or owner starts the project.';
export const stopped = (when: ReactNode, date: ReactNode) => say`Stopped ${when} (${date}). ${untilStarted}`;
export const stoppedBy = (when: ReactNode, date: ReactNode, person: ReactNode) =>
  say`Stopped ${when} (${date}) by ${person}. ${untilStarted}`;
export const stop = {
  title: 'Stop this project?',
  confirm: 'Stop project',
  done: 'Stopped the project.',
  consequences: [
    'No agent or key of this project can send requests.',
    'No permit is verified or used, including permits issued earlier.',
    'People can still view and decide pending requests, which keep expiring.',
    'Admins and owners can start the project again at any time.',
  ],
} as const;
export const start = {
  title: 'Start this project?',
  confirm: 'Start project',
  done: 'Started the project.',
  consequences: [
    'Agents and keys can send requests again, and permits that have not expired can be used.',
    'Agents that were paused stay paused.',
  ],
} as const;

export const facts = { title: 'Project', name: 'Name', mode: 'Mode', id: 'ID', created: 'Created' } as const;
export const modes: Readonly<Record<Mode, string>> = {
  live: 'For real actions: executors run what is approved. Keys and access tokens can approve only where policy lets programs approve.',
  test: 'For trying out: its permits are marked as test permits.',
};
export const rename = {
  label: 'New name',
  hint: 'Keys, permits and links don’t change.',
  submit: 'Rename project',
  done: 'Renamed the project.',
} as const;

export const retention = {
  title: 'Data retention',
  lead: 'Personal data (parameters, reasons and names of people) is erased after the time set here. Hashes, IDs and times stay, so permits, receipts and the audit log can still be verified.',
  forever: 'Keep forever',
  custom: 'Custom (days)',
  days: 'Days',
  save: 'Save retention',
  saved: 'Saved the data retention.',
  eraseTitle: 'Erase older data?',
  erase: 'Save and erase',
} as const;
export const keptByGate = (days: number) => `Personal data is kept ${howLong(days)} (gate default).`;
export const keptByProject = (days: number) =>
  `Personal data is kept ${howLong(days)} (set for this project).`;
export const gateDefault = (days: number) => `Gate default (keep ${howLong(days)})`;
export const daysInvalid = (most: number) => `Enter a whole number of days from 1 to ${formatCount(most)}.`;
export const eraseConsequence = (days: number) =>
  `Personal data older than ${sayDays(days)} is erased within the hour. You can’t undo this. Backups keep what they contain.`;

function howLong(days: number): string {
  return days === 0 ? 'forever' : `for ${sayDays(days)}`;
}

function sayDays(days: number): string {
  return formatLifetime(days * 24 * 60 * 60);
}

export const leave = {
  title: 'Leave this project',
  lastOwner:
    'You are the last owner. Make another member an owner first: a project without an owner can never get one again.',
  consequence:
    'You lose access to this project and leave all its groups. Your secret keys are revoked at once.',
  submit: 'Leave project',
  confirmTitle: 'Leave this project?',
  confirm:
    'To come back, you need a new invitation. Your decisions stay in the audit log. Programs that use your secret keys stop working at once.',
  done: 'You left the project.',
} as const;
