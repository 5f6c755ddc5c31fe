/** How the four statuses are drawn: each with a pattern of its own, so that colour never says it alone. */
export const STATUSES = [
  { status: 'approved', label: 'approved' },
  { status: 'denied', label: 'denied' },
  { status: 'expired', label: 'expired' },
  { status: 'pending', label: 'pending' },
] as const;

export type Status = (typeof STATUSES)[number]['status'];
