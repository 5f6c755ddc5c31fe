/** Texts of the inbox: the list of pending requests, its filters and its shortcuts. */
import type { ReactNode } from 'react';
import { formatCount } from '../../ui/format.ts';
import { say } from '../../ui/say.ts';

export const title = 'Inbox';
export const titleWith = (count: string) => `(${count}) Inbox`;
export const pending = (count: string) => `${count} pending`;
export const list = 'Pending requests';
export const part = (first: number, last: number) => `Requests ${formatCount(first)} to ${formatCount(last)}`;
export const loading = 'Loading the inbox';
export const loadingRequest = 'Loading the request';
export const loadingMore = 'Loading more…';
export const moreFailed = 'More requests could not be loaded';

export const shortcuts = 'Keyboard shortcuts';
export const keys = [
  ['j', 'Next request'],
  ['k', 'Previous request'],
  ['o', 'Open (or Enter)'],
  ['a', 'Approve (asks to confirm)'],
  ['d', 'Deny, with a reason'],
  ['x', 'Select, to decide several at once'],
  ['n', 'Show new requests'],
  ['/', 'Search'],
  ['Esc', 'Go back, or clear the selection'],
  ['?', 'Show this help'],
] as const;

export const shown = 'Requests to show';
export const all = 'All';
export const forMyReview = 'For my review';
export const requester = 'Requester (full name)';
export const requesterPlaceholder = 'Requester’s name';

export const sortBy = 'Sort by';
export const newestFirst = 'Newest first';
export const expiringSoon = 'Expiring soon';
export const highestRisk = 'Highest risk';
export const selected = (count: number) => `${formatCount(count)} selected`;
export const selectAll = (most: number) => `Select all (max ${formatCount(most)})`;
export const selectionFull = (most: number) =>
  `You can decide at most ${formatCount(most)} requests at once.`;
export const arrived = (count: number, hasMore: boolean) => `${formatCount(count)}${hasMore ? '+' : ''} new`;
export const requestsArrived = (count: number) =>
  `${formatCount(count)} new ${count === 1 ? 'request' : 'requests'}`;

export const connected = 'Connected';
export const connecting = 'Connecting…';
export const disconnected = 'Offline';
export const signedOut = 'Signed out';
export const reconnecting = (seconds: number) =>
  `Connection lost. Reconnecting${seconds > 0 ? ` in ${seconds} s` : ''}…`;

/** Of the policy, or of an agent that its rules depend on. */
export const proposedChanges = (count: number, project: ReactNode) =>
  count === 1
    ? say`A change in ${project} needs another admin or owner`
    : say`${formatCount(count)} changes in ${project} need another admin or owner`;

export const select = (action: string, isInPlace: boolean) =>
  `Select ${action}${isInPlace ? '' : ', which can’t be decided in the list'}`;
export const deny = 'Deny';
export const approve = 'Approve';
export const review = 'Review';
export const progress = (received: number, required: number) =>
  `${formatCount(received)} of ${formatCount(required)} approvals · `;
export const needsYou = 'Needs your review.';
export const stillNeeded = (from: ReactNode) => say`Still needed: ${from}.`;

export const moreApprovalsNeeded = 'Your approval was recorded. More approvals are needed.';
export const approved = 'Approved.';
export const denied = 'Denied.';
export const manyDecided = (count: number, decision: 'approve' | 'deny') =>
  `${formatCount(count)} ${decision === 'approve' ? 'approved' : 'denied'}.`;
export const failed = (count: number) => `${formatCount(count)} failed. See each row.`;
