/** The requests that measure each operation. */
import type { Prepared } from './http-connection.ts';
import type { IssuedPermit, Subject } from './subject.ts';
import { ACTION, createBody } from './workload.ts';

/** In the order in which a round runs them, because some operations use what an earlier one created. */
export const OPERATIONS = [
  'create',
  'create-keyed',
  'read',
  'approve',
  'verify-issued-here',
  'verify-fresh',
  'verify-repeated',
  'consume',
  'list-page',
  'audit-page',
] as const;
export type Operation = (typeof OPERATIONS)[number];

/** The operations that must run in a round, measured or not, because another operation needs their data. */
const NEEDS: Partial<Record<Operation, readonly Operation[]>> = {
  read: ['create'],
  approve: ['create'],
  'verify-issued-here': ['create', 'approve'],
  'verify-repeated': ['verify-fresh'],
  consume: ['verify-fresh'],
  'list-page': ['create'],
};

/**
 * Keeps each measurement neither too short nor too long, because a read is fast, and a page costs as much as many
 * reads.
 */
const READS_FOR_ONE = 2;
const PAGES_FOR_ONE = 1 / 8;

export interface Batch {
  requests: Prepared[];
  expected: number;
}

/** The operations of a round, in order. */
export function operationsToRun(wanted: ReadonlySet<Operation>): Operation[] {
  return OPERATIONS.filter(
    (operation) =>
      wanted.has(operation) ||
      OPERATIONS.some((other) => wanted.has(other) && NEEDS[other]?.includes(operation)),
  );
}

export function batchOf(operation: Operation, subject: Subject, count: number): Batch {
  switch (operation) {
    case 'create':
      return { requests: creations(subject, count), expected: 201 };
    case 'create-keyed':
      return { requests: creations(subject, count, true), expected: 201 };
    case 'read':
      return { requests: reads(subject, count * READS_FOR_ONE), expected: 200 };
    case 'approve':
      return { requests: approvals(subject, count), expected: 200 };
    case 'verify-issued-here':
      return { requests: verifications(subject, subject.issuedHere(), false), expected: 200 };
    case 'verify-fresh':
      return { requests: verifications(subject, subject.takePermits(count), false), expected: 200 };
    case 'verify-repeated':
      return { requests: verifications(subject, subject.permits(), false), expected: 200 };
    case 'consume':
      return { requests: verifications(subject, subject.permits(), true), expected: 200 };
    case 'list-page':
      return { requests: listPages(subject, Math.ceil(count * PAGES_FOR_ONE)), expected: 200 };
    case 'audit-page':
      return { requests: auditPages(subject, Math.ceil(count * PAGES_FOR_ONE)), expected: 200 };
  }
}

export function creations(subject: Subject, count: number, keyed = false): Prepared[] {
  return subject.nextIndexes(count).map((index) => ({
    method: 'POST',
    path: '/v1/intents',
    key: subject.agentKey(0),
    body: createBody(index),
    ...(keyed ? { idempotencyKey: `bench-${index}` } : {}),
  }));
}

function reads(subject: Subject, count: number): Prepared[] {
  return subject
    .takeKnown(count)
    .map(({ id, agent }) => ({ method: 'GET', path: `/v1/intents/${id}`, key: subject.agentKey(agent) }));
}

function approvals(subject: Subject, count: number): Prepared[] {
  return subject.takePending(count).map(({ id, agent }) => ({
    method: 'POST',
    path: `/v1/intents/${id}/approve`,
    key: subject.secretKeyFor(agent),
    body: '{}',
  }));
}

function verifications(subject: Subject, permits: readonly IssuedPermit[], consume: boolean): Prepared[] {
  return permits.map(({ token, params, agent }) => ({
    method: 'POST',
    path: '/v1/permits/validate',
    key: subject.verifierKeyFor(agent),
    body: JSON.stringify({ token, action: ACTION, params, consume }),
  }));
}

const LIST_FILTERS = ['', '&status=pending', '&status=resolved', '&status=approved'];

/** Pages from anywhere in the list of the first project. */
function listPages(subject: Subject, count: number): Prepared[] {
  return subject.takeListed(count).map(({ id }, n) => ({
    method: 'GET',
    path: `/api/intents?limit=50&cursor=${id}${LIST_FILTERS[n % LIST_FILTERS.length]}`,
    key: subject.secretKeyFor(0),
  }));
}

/** Pages from anywhere in the first project's chain. */
function auditPages(subject: Subject, count: number): Prepared[] {
  return Array.from({ length: count }, (_, n) => {
    const cursor = 2 + Math.floor(((subject.chainLength - 2) * (n + 0.5)) / count);
    return {
      method: 'GET',
      path: `/v1/projects/${subject.projectId}/audit?limit=50&cursor=${cursor}`,
      key: subject.secretKeyFor(0),
    };
  });
}
