/** How charts draw the four statuses. Each has its own pattern, so that colour is never the only sign. */
export const STATUSES = [
  { status: 'approved', label: 'approved' },
  { status: 'denied', label: 'denied' },
  { status: 'expired', label: 'expired' },
  { status: 'pending', label: 'pending' },
] as const;

export type Status = (typeof STATUSES)[number]['status'];
