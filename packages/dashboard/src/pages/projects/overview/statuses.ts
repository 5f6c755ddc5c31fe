import * as words from './overview.words.ts';

/** How charts draw the four statuses. Each has its own pattern, so that colour is never the only sign. */
export const STATUSES = [
  { status: 'approved', label: words.statuses.approved },
  { status: 'denied', label: words.statuses.denied },
  { status: 'expired', label: words.statuses.expired },
  { status: 'pending', label: words.statuses.pending },
] as const;

export type Status = (typeof STATUSES)[number]['status'];
