import type { EventType } from '@permitry/protocol';
import { assertScope } from '../access/assert-scope.ts';
import type { Caller } from '../access/caller.ts';
import { unknownProject } from '../kernel/not-found.ts';
import { onlyGiven } from '../kernel/only-given.ts';
import { numberCursor, type Page, type PageRequest, pageLimit } from '../kernel/page.ts';
import { parseInstant } from '../kernel/parse-instant.ts';
import type { AuditDeps } from './audit-deps.ts';
import type { SealedEvent } from './audit-event.ts';

/** A record must match all filters. An omitted one matches everything. */
export interface AuditQuery extends PageRequest {
  projectId: string;
  types?: readonly EventType[];
  intentId?: string;
  /** Id of the actor (`agt_…`, `key_…`, `usr_…`, `operator`, …), or the displayed text. */
  actor?: string;
  /** Inclusive. ISO 8601. */
  from?: string;
  /** Exclusive. ISO 8601. */
  to?: string;
  /** Default: `desc`, newest first. */
  order?: 'asc' | 'desc';
}

/** The most records that one page examines, so that a filter with few matches does not block others. */
const MOST_EXAMINED = 10_000;

/**
 * One page of the project's audit log. Seals unsealed events first. With filters a page may hold fewer records than
 * requested, even none, and still name a next page, because it stops after examining enough.
 *
 * @throws GateError `project_not_found`, `forbidden`, `invalid_fields`
 */
export async function readAudit(
  gate: Pick<AuditDeps, 'ledger' | 'storage'>,
  caller: Caller,
  query: AuditQuery,
): Promise<Page<SealedEvent>> {
  const { read } = gate.storage;
  const { projectId, types, intentId, actor } = query;
  assertScope(caller, 'audit:read', projectId);
  const limit = pageLimit(query);
  // The `seq` of the last record seen.
  const afterSeq = numberCursor(query);
  const from = parseInstant('/from', query.from);
  const to = parseInstant('/to', query.to);
  if (!(await read.findProject(projectId))) throw unknownProject();

  await gate.ledger.sealNow(projectId);
  const order = query.order ?? 'desc';
  const newest = (await read.findChainHead(projectId))?.seq ?? 0;
  const [end, throughSeq] = stretch(order, newest, afterSeq);
  const found = await read.listSealedEvents({
    projectId,
    ...onlyGiven({ types, intentId, actor, from, to, afterSeq }),
    // An index finds the few records of one intent, so no limit is needed.
    ...(intentId === undefined ? { throughSeq } : {}),
    order,
    limit: limit + 1,
  });
  const items = found.slice(0, limit);
  const last = items.at(-1);
  if (found.length > limit && last) return { items, nextCursor: String(last.seq) };
  return { items, nextCursor: intentId !== undefined || throughSeq === end ? null : String(throughSeq) };
}

/** The `seq` at which the log ends in this order, and the one at which this page stops. */
function stretch(
  order: 'asc' | 'desc',
  newest: number,
  afterSeq: number | undefined,
): [end: number, through: number] {
  if (order === 'asc') return [newest, Math.min(newest, (afterSeq ?? 0) + MOST_EXAMINED)];
  const from = Math.min(afterSeq ?? Number.POSITIVE_INFINITY, newest + 1);
  return [1, Math.max(1, from - MOST_EXAMINED)];
}
