/** Texts of the overview. */
import type { ReactNode } from 'react';
import { formatCount, formatDuration } from '../../../ui/format.ts';
import { say } from '../../../ui/say.ts';

export const title = 'Overview';
export const period = 'Period';
export const days = (count: number) => `${formatCount(count)} days`;
export const updated = (at: ReactNode) => say`Updated ${at} · Days in UTC`;
export const covers = (all: number, latest: number, since: ReactNode) =>
  say`Daily totals cover all ${formatCount(all)} requests. Everything else uses the latest ${formatCount(latest)}, since ${since}.`;
export const empty = {
  title: 'No requests in this period',
  lead: 'When agents send requests, this page shows how many there were, how they were decided, and how long people took.',
} as const;
export const viewAgents = 'View agents';

export const figures = {
  pending: 'Pending',
  sentForReview: 'Sent for review',
  median: 'Median decision time (p50)',
  p95: 'p95 decision time',
  none: 'None yet',
} as const;
export const decidedByPeople = (count: number) =>
  `across ${formatCount(count)} ${count === 1 ? 'request' : 'requests'} decided by people`;
/** `42 s`, `4 min 9 s`, and longer durations as everywhere else. */
export function decisionTime(seconds: number): string {
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  if (whole < 600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  return formatDuration(seconds * 1000);
}

export const chart = {
  title: 'Requests by day',
  legend: 'Legend',
  asTable: 'As a table',
  caption: 'Requests by day and status',
  day: 'Day',
} as const;
export const statuses = {
  approved: 'Approved',
  denied: 'Denied',
  expired: 'Expired',
  pending: 'Pending',
} as const;
export const chartSummary = (total: number, days: number, most: number) =>
  `${formatCount(total)} ${total === 1 ? 'request' : 'requests'} in ${formatCount(days)} days, at most ${formatCount(most)} per day. The table below lists every day.`;
export const ofStatus = (label: string, count: number) => `${label}: ${formatCount(count)}`;
export const onDay = (day: string, counts: readonly string[]) => `${day} · ${counts.join(', ')}`;

export const howDecided = {
  title: 'Policy or people',
  sentForReview: 'Sent for review',
  allowed: 'Allowed by policy',
  denied: 'Denied by policy',
} as const;
export const percent = (part: number) => `(${formatCount(Math.round(100 * part))}%)`;
export const reviewed = (approved: number, denied: number, expired: number) =>
  `Of those sent for review: ${formatCount(approved)} approved · ${formatCount(denied)} denied · ${formatCount(expired)} expired`;

export const expiring = {
  title: 'Expiring soon',
  none: 'No pending requests',
  incomplete:
    'There may be more: so many requests are pending in other projects that not all could be checked.',
} as const;
export const approvals = (received: number, required: number) =>
  `${formatCount(received)} of ${formatCount(required)} approvals`;

export const byRequester = {
  title: 'Top requesters',
  caption: 'Requests by requester',
  requester: 'Requester',
  requests: 'Requests',
  sentForReview: 'Sent for review',
  denied: 'Denied',
  others: (count: number) => `and ${formatCount(count)} ${count === 1 ? 'other' : 'others'}`,
} as const;
export const byRule = {
  title: 'By rule',
  caption: 'Requests by rule',
  rule: 'Rule',
  byDefault: 'Default (no rule matched)',
  requests: 'Requests',
  approved: 'Approved',
  denied: 'Denied',
  others: (count: number) => `and ${formatCount(count)} other ${count === 1 ? 'rule' : 'rules'}`,
} as const;
export const byPerson = {
  title: 'Approvers',
  caption: 'Decisions by person',
  person: 'Person',
  decisions: 'Decisions',
  approvals: 'Approvals',
  denials: 'Denials',
  others: (count: number) => `and ${formatCount(count)} other ${count === 1 ? 'person' : 'people'}`,
} as const;
