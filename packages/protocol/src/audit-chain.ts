/** Verifies a project's audit chain record by record, in constant memory. */
import {
  ACTOR_TYPES,
  type AuditCommitment,
  type AuditRecord,
  auditEventHash,
  auditRecordHash,
  commitText,
  committedText,
  genesisHash,
} from './audit-record.ts';
import { isSha256Hash } from './hashes.ts';
import { isId } from './ids.ts';
import { hasExactly, isInstant, isObject, isOneOf, type PropertyChecks } from './properties.ts';
import type { EventType } from './vocabulary.ts';

/** The end of a chain: `seq` 0 and the genesis hash when it is empty. */
export interface AuditHead {
  seq: number;
  hash: string;
}

/** What can be wrong with a chain. */
export type AuditProblem =
  /** Not a record: a member is missing, unknown or of the wrong type. */
  | 'malformed_record'
  /** One or more records before this one are missing. */
  | 'missing_record'
  /** A record whose number was used already: a repeated record, or one that belongs earlier. */
  | 'out_of_order'
  /** The record does not follow the one before it, or its `hash` is wrong for its place. */
  | 'link_broken'
  /** The content differs from what was hashed. */
  | 'content_altered'
  /** A committed text differs from its digest, or only half of it was erased. */
  | 'text_altered'
  /** A saved or signed head has another hash for this place. */
  | 'history_rewritten'
  /** The chain ends before a saved or signed head. */
  | 'tail_missing'
  /** An export continues after the end that its header names. */
  | 'beyond_head'
  /** No known key signed the head, or the head belongs to another project. */
  | 'head_invalid'
  /** A line of an export does not have the form that the format requires. */
  | 'malformed_line';

/** The first problem found. */
export interface BadRecord {
  /** The place in the chain where it was found. Null when unknown. */
  seq: number | null;
  id: string | null;
  problem: AuditProblem;
  /** A sentence for people. */
  message: string;
}

export interface AuditVerification<Bad extends BadRecord = BadRecord> {
  valid: boolean;
  /** Records that verified. */
  count: number;
  /** Where the part that verified ends. */
  head: AuditHead;
  firstBad?: Bad;
}

/** Takes records one after another and checks them against each other and against known heads. */
export interface AuditChainVerifier {
  /**
   * A problem with the place before the first record: the place contradicts a known head, or leaves a gap after a known
   * head.
   */
  begin(): BadRecord | undefined;
  /** A problem with this record. Add no more records after a problem. */
  add(record: unknown): BadRecord | undefined;
  /** A problem that only the end shows: a known head lies beyond it. */
  end(): BadRecord | undefined;
  readonly head: AuditHead;
  /** The place before the first record. */
  readonly after: AuditHead;
}

/** Checks the form only, so a record of a type that this verifier does not know yet is still valid. */
const EVENT_TYPE = /^[a-z_]+(\.[a-z_]+)+$/;

/** The first record that a gate writes after a restore from a backup. */
const RESTORED: EventType = 'project.restored';

const RECORD_CHECKS: PropertyChecks<AuditRecord> = {
  id: (value) => isId('evt', value),
  seq: (value) => Number.isSafeInteger(value) && (value as number) >= 1,
  type: (value) => typeof value === 'string' && EVENT_TYPE.test(value),
  occurred_at: isInstant,
  actor: (value) =>
    hasExactly<AuditRecord['actor']>(value, {
      type: isOneOf(ACTOR_TYPES),
      id: (id) => typeof id === 'string',
      display: isTextOrNull,
    }),
  intent_id: (value) => value === null || isId('int', value),
  data: isObject,
  commitments: (value) => isObject(value) && Object.values(value).every(isCommitment),
  event_hash: isSha256Hash,
  prev_hash: isSha256Hash,
  hash: isSha256Hash,
};

function isCommitment(value: unknown): boolean {
  return hasExactly<AuditCommitment>(value, { digest: isSha256Hash, salt: isTextOrNull });
}

function isTextOrNull(value: unknown): boolean {
  return value === null || typeof value === 'string';
}

/**
 * @param heads places in the chain that are known from elsewhere.
 * @param after the place before the first record, unless the chain begins here.
 */
export function createAuditChainVerifier(
  projectId: string,
  heads: readonly AuditHead[],
  after: AuditHead = { seq: 0, hash: genesisHash(projectId) },
): AuditChainVerifier {
  let head = after;
  let restoredAt: number | undefined;
  const lastKnown = Math.max(0, ...heads.map((known) => known.seq));

  return {
    get head() {
      return head;
    },
    after,
    begin() {
      const genesis = { seq: 0, hash: genesisHash(projectId) };
      if ([genesis, ...heads].some((known) => known.seq === after.seq && known.hash !== after.hash)) {
        const message = `The known head at record ${after.seq} belongs to another chain, or to another history.`;
        return { seq: after.seq, id: null, problem: 'history_rewritten', message };
      }
      const earlier = heads.find((known) => known.seq < after.seq);
      if (earlier === undefined) return undefined;
      const message = `Records ${earlier.seq + 1} to ${after.seq} are missing between the known head and the first record.`;
      return { seq: earlier.seq + 1, id: null, problem: 'missing_record', message };
    },
    add(record) {
      if (!hasExactly<AuditRecord>(record, RECORD_CHECKS)) return malformedRecord(record, head.seq + 1);
      const found = findProblemSafely(projectId, record, head);
      if (found !== undefined) return bad(record, ...found);
      // Runs before the comparison with the heads, because the two histories may differ from this very record on.
      if (record.type === RESTORED) restoredAt = record.seq;
      if (heads.some((known) => known.seq === record.seq && known.hash !== record.hash)) {
        return bad(
          record,
          'history_rewritten',
          `Record ${record.seq} does not match the known head.${forkAt(restoredAt)}`,
        );
      }
      head = { seq: record.seq, hash: record.hash };
      return undefined;
    },
    end() {
      if (head.seq >= lastKnown) return undefined;
      const message = `The chain ends with record ${head.seq}, but it had ${lastKnown} when the known head was taken.${forkAt(restoredAt)}`;
      return { seq: head.seq + 1, id: null, problem: 'tail_missing', message };
    },
  };
}

/**
 * Only explains the problem. A chain that does not lead to a known head has a problem, even if the chain records a
 * restore.
 */
function forkAt(restoredAt: number | undefined): string {
  if (restoredAt === undefined) return '';
  return (
    ` Record ${restoredAt} reports a restore from a backup. The records that followed record ${restoredAt - 1}` +
    ' before the restore are another history, and the known head may belong to it.'
  );
}

/** Only content that cannot be hashed throws: a lone surrogate, or a value that is not JSON. */
function findProblemSafely(
  projectId: string,
  record: AuditRecord,
  head: AuditHead,
): [AuditProblem, string] | undefined {
  try {
    return findProblem(projectId, record, head);
  } catch {
    return ['malformed_record', `Record ${record.seq} contains something that is not JSON.`];
  }
}

function findProblem(
  projectId: string,
  record: AuditRecord,
  head: AuditHead,
): [AuditProblem, string] | undefined {
  const due = head.seq + 1;
  const { seq } = record;
  if (seq > due) return ['missing_record', `Record ${due} is missing: record ${seq} is in its place.`];
  if (seq < due) return ['out_of_order', `Record ${seq} is in the place of record ${due}.`];
  if (record.prev_hash !== head.hash)
    return ['link_broken', `Record ${seq} does not follow the record before it.`];
  for (const [pointer, commitment] of Object.entries(record.commitments)) {
    if (!commitmentHolds(record, pointer, commitment)) {
      return ['text_altered', `The text at ${pointer} of record ${seq} is not the one that was committed.`];
    }
  }
  if (record.event_hash !== auditEventHash(projectId, record)) {
    return ['content_altered', `Record ${seq} was altered: its content does not match its hash.`];
  }
  if (record.hash !== auditRecordHash(record.prev_hash, seq, record.event_hash)) {
    return ['link_broken', `The hash of record ${seq} does not match its event and its place.`];
  }
  return undefined;
}

/** Once a text is erased, both the text and its salt must be gone. */
function commitmentHolds(record: AuditRecord, pointer: string, { digest, salt }: AuditCommitment): boolean {
  const text = committedText(record, pointer);
  if (text === undefined) return false;
  if (text === null || salt === null) return text === null && salt === null;
  return commitText(text, salt) === digest;
}

function bad(record: AuditRecord, problem: AuditProblem, message: string): BadRecord {
  return { seq: record.seq, id: record.id, problem, message };
}

function malformedRecord(record: unknown, due: number): BadRecord {
  const id = isObject(record) && isId('evt', record.id) ? record.id : null;
  return {
    seq: due,
    id,
    problem: 'malformed_record',
    message: `There is no audit record in the place of record ${due}.`,
  };
}

/**
 * Verifies a chain from its first record on and names the first bad one. It streams and keeps no record.
 *
 * A chain that verifies may still be forged or shortened. Only a head saved earlier and elsewhere (`sinceHead`) shows a
 * missing tail or a rewritten history.
 *
 * @throws only what iterating `records` throws.
 * @example
 * const result = await verifyAuditChain(records, { projectId, sinceHead: { seq: 812, hash: 'sha256:…' } });
 * if (!result.valid) console.error(result.firstBad?.message);
 */
export async function verifyAuditChain(
  records: AsyncIterable<unknown> | Iterable<unknown>,
  { projectId, sinceHead }: { projectId: string; sinceHead?: AuditHead | undefined },
): Promise<AuditVerification> {
  const verifier = createAuditChainVerifier(projectId, sinceHead === undefined ? [] : [sinceHead]);
  const badStart = verifier.begin();
  if (badStart !== undefined) return toVerification(verifier, badStart);
  for await (const record of records) {
    const firstBad = verifier.add(record);
    if (firstBad !== undefined) return toVerification(verifier, firstBad);
  }
  return toVerification(verifier, verifier.end());
}

export function toVerification<Bad extends BadRecord>(
  { head, after }: AuditChainVerifier,
  firstBad: Bad | undefined,
): AuditVerification<Bad> {
  const verified = { count: head.seq - after.seq, head };
  return firstBad === undefined ? { valid: true, ...verified } : { valid: false, ...verified, firstBad };
}
