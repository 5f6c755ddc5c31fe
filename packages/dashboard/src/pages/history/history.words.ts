/** Texts of the history: the list of requests that were decided or expired. */

export const title = 'History';
export const lead = 'Requests that were decided or expired, newest first.';
export const showNewer = 'Show newer';
export const loading = 'Loading the history';

export const filters = {
  outcome: 'Outcome',
  anyOutcome: 'Any outcome',
  approved: 'Approved',
  denied: 'Denied',
  expired: 'Expired',
  decidedBy: 'Decided by',
  from: 'Requested from',
  until: 'Requested until',
} as const;

export const columns = {
  request: 'Request',
  outcome: 'Outcome',
  requester: 'Requester',
  risk: 'Risk',
  requested: 'Requested',
} as const;

export const noMatch = {
  title: 'No matching requests',
  lead: 'Other filters may find more.',
  clear: 'Clear filters',
} as const;

export const empty = {
  title: 'No decided requests yet',
  lead: 'Requests appear here once they are decided or expire, and stay here.',
} as const;

export const notSearchedYet = 'No match so far. Older requests have not been searched yet.';
