import type { EventType } from '@permitry/protocol';
import { assertScope } from '../access/assert-scope.ts';
import type { Caller } from '../access/caller.ts';
import type { Gate } from '../gate.ts';
import { invalidFields } from '../invalid-fields.ts';
import { type Page, type PageRequest, pageLimit } from '../page.ts';
import { parseInstant } from '../parse-instant.ts';
import { unknownProject } from '../projects/unknown-project.ts';
import type { SealedEvent } from './audit-event.ts';

/** Filters add up; each left out matches everything. */
export interface AuditQuery extends PageRequest {
  projectId: string;
  types?: readonly EventType[];
  intentId?: string;
  /** Id of the actor (`agt_…`, `key_…`, `usr_…`, `operator`, …), or the text it is shown by. */
  actor?: string;
  /** Inclusive. ISO 8601. */
  from?: string;
  /** Exclusive. ISO 8601. */
  to?: string;
  /** `desc`, newest first, when left out. */
  order?: 'asc' | 'desc';
}

/** `seq` of the last record seen. */
const CURSOR = /^[1-9][0-9]{0,14}$/;

/**
 * One page of the project's audit log, as of now: what is not sealed yet is sealed first.
 *
 * @throws GateError `project_not_found`, `forbidden`, `invalid_fields`
 */
export async function readAudit(gate: Gate, caller: Caller, query: AuditQuery): Promise<Page<SealedEvent>> {
  const { read } = gate.storage;
  const { projectId, types, intentId, actor } = query;
  assertScope(caller, 'audit:read', projectId);
  const limit = pageLimit(query);
  const afterSeq = parseCursor(query.cursor);
  const from = parseInstant('/from', query.from);
  const to = parseInstant('/to', query.to);
  if (!(await read.findProject(projectId))) throw unknownProject();

  await gate.ledger.sealNow(projectId);
  const found = await read.listSealedEvents({
    projectId,
    ...(types === undefined ? {} : { types }),
    ...(intentId === undefined ? {} : { intentId }),
    ...(actor === undefined ? {} : { actor }),
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
    ...(afterSeq === undefined ? {} : { afterSeq }),
    order: query.order ?? 'desc',
    limit: limit + 1,
  });
  const items = found.slice(0, limit);
  const last = items.at(-1);
  return { items, nextCursor: found.length > limit && last ? String(last.seq) : null };
}

function parseCursor(cursor: string | undefined): number | undefined {
  if (cursor === undefined) return undefined;
  if (CURSOR.test(cursor)) return Number(cursor);
  throw invalidFields({ path: '/cursor', message: 'Must be the next_cursor of an earlier page.' });
}
