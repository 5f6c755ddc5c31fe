/** Finds the part of a chain for an export, by places or by instants. */

import { type AuditExportPart, type AuditHead, genesisHash } from '@permitry/protocol';
import type { Instant } from '../kernel/instant.ts';
import { invalidFields } from '../kernel/invalid-fields.ts';
import { parseInstant } from '../kernel/parse-instant.ts';
import type { AuditReader, SealedEvent } from './audit-event.ts';

/** Each end is a record's `seq` or an ISO 8601 instant. */
export interface ExportRange {
  /** Inclusive. Default: the first record. */
  from?: string;
  /** Exclusive. Omitted, or beyond the end: the whole rest. */
  to?: string;
}

type RangeEnd = number | Instant;

interface ParsedRange {
  from: RangeEnd | undefined;
  to: RangeEnd | undefined;
}

const SEQ = /^[1-9][0-9]{0,14}$/;

/**
 * Undefined when the export has no range.
 *
 * @throws GateError `invalid_fields`
 */
export function parseExportRange({ from, to }: ExportRange): ParsedRange | undefined {
  if (from === undefined && to === undefined) return undefined;
  const parsed = { from: parseEnd('/from', from), to: parseEnd('/to', to) };
  if (typeof parsed.from === typeof parsed.to && parsed.from && parsed.to && parsed.from > parsed.to) {
    throw reversed();
  }
  return parsed;
}

function parseEnd(path: string, text: string | undefined): RangeEnd | undefined {
  return text !== undefined && SEQ.test(text) ? Number(text) : parseInstant(path, text);
}

function reversed() {
  return invalidFields({ path: '/to', message: 'Must not be before from.' });
}

/** @throws GateError `invalid_fields` when the range begins beyond the end of the chain, or is reversed */
export async function findPart(
  read: AuditReader,
  projectId: string,
  range: ParsedRange,
  head: AuditHead | undefined,
): Promise<AuditExportPart> {
  const end = head?.seq ?? 0;
  const seqOf = async (at: RangeEnd): Promise<number> =>
    typeof at === 'number' ? at : (await countBefore(read, projectId, at, end)) + 1;
  const first = range.from === undefined ? 1 : await seqOf(range.from);
  if (first > end + 1) {
    const message = `Must be at most ${end + 1}: the log ends with record ${end}.`;
    throw invalidFields({ path: '/from', message });
  }
  const next = range.to === undefined ? end + 1 : Math.min(await seqOf(range.to), end + 1);
  if (next < first) throw reversed();
  return {
    after: await headAt(read, projectId, first - 1),
    through: await headAt(read, projectId, next - 1),
  };
}

/**
 * How many records happened before `at`. An event gets its time before its place, so records may be out of order by the
 * duration of a request. The records examined do not depend on `end`. So two ranges that meet at a past instant meet at
 * the same record, however far the chain grew between the exports.
 */
async function countBefore(read: AuditReader, projectId: string, at: Instant, end: number): Promise<number> {
  let count = 0;
  for (let step = 2 ** Math.floor(Math.log2(end || 1)); step >= 1; step /= 2) {
    if (count + step > end) continue;
    const event = await findSealed(read, projectId, count + step);
    if (event && event.occurredAt < at) count += step;
  }
  return count;
}

async function headAt(read: AuditReader, projectId: string, seq: number): Promise<AuditHead> {
  const hash = seq === 0 ? genesisHash(projectId) : (await findSealed(read, projectId, seq))?.hash;
  if (hash === undefined) throw new Error(`record ${seq} of ${projectId} is missing`);
  return { seq, hash };
}

async function findSealed(
  read: AuditReader,
  projectId: string,
  seq: number,
): Promise<SealedEvent | undefined> {
  const [event] = await read.listSealedEvents({ projectId, order: 'asc', afterSeq: seq - 1, limit: 1 });
  return event?.seq === seq ? event : undefined;
}
