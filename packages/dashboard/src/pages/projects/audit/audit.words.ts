/** Texts of the audit log page. The sentences about events are in `event.words.ts`. */
import type { ReactNode } from 'react';
import { formatCount, formatDuration } from '../../../ui/format.ts';
import { say } from '../../../ui/say.ts';

export const title = 'Audit log';
export const lead =
  'All events of this project, in one hash chain. Verification shows whether an event was changed, removed or inserted.';
export const list = 'Events';
export const rawEvent = 'Raw event';
export const eventNumber = (seq: number) => `Event ${seq}`;

export const noMatch = { title: 'No matching events', lead: 'Other filters may find more.' } as const;
export const notSearchedYet = {
  title: 'No match so far',
  lead: `The search covers ${formatCount(10_000)} events at a time. Load more to keep searching.`,
} as const;

export const filters = {
  title: 'Filters',
  type: 'Event type',
  anyType: 'All events',
  actor: 'Actor',
  actorExample: 'Email, agent or ID',
  request: 'Request',
  from: 'From',
  before: 'Before',
  order: 'Sort order',
  newestFirst: 'Newest first',
  oldestFirst: 'Oldest first',
  apply: 'Apply filters',
  clear: 'Clear filters',
} as const;

export const integrity = {
  title: 'Log integrity',
  verify: 'Verify log',
  exportLog: 'Export log',
  lead: 'The gate recomputes every hash from the events that it stores. You can also verify an export without the gate.',
  cancel: 'Cancel',
} as const;
export const verifying = (ms: number) =>
  `Verifying for ${formatDuration(ms)}. A long log takes minutes. You can use this page meanwhile.`;

export const verified = (count: number) =>
  count === 1 ? 'Verified: the only event matches' : `Verified: all ${formatCount(count)} events match`;
export const failed = (seq: number | null) =>
  seq === null ? 'Verification failed' : `Verification failed at event ${seq}`;
export const verifiedBefore = (count: number) => {
  if (count === 0) return 'No earlier event was verified.';
  return count === 1 ? 'The event before it matches.' : `The ${formatCount(count)} events before it match.`;
};

export const facts = {
  verified: 'Verified events',
  sealedThrough: 'Sealed up to event',
  unsealed: 'Not sealed yet',
  head: 'Head',
  signedHead: 'Signed head',
} as const;
export const unsealedEvents = (count: number) => `${formatCount(count)} ${count === 1 ? 'event' : 'events'}`;
export const headSealed = (seq: number, hash: ReactNode, date: ReactNode) =>
  say`#${seq}, sealed ${date}, ${hash}`;
export const hashOfHead = 'the hash of the head';
export const theSignedHead = 'the signed head';
export const copySignedHead = 'Copy signed head';
export const signedHeadUse = 'Keep a copy elsewhere. It shows later whether this log was changed.';

export const yourself = {
  title: 'Verify an export yourself',
  command: 'Without the gate',
  theCommand: 'the command',
} as const;
export const keptEarlier = (since: ReactNode, jwks: ReactNode) =>
  say`With ${since} and an export or head that you kept, the command also shows whether the log was rewritten or cut off since then. With ${jwks} and keys that you kept, it shows that this gate signed the log.`;
