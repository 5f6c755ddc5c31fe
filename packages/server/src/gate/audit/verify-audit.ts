import { type AuditHead, type BadRecord, verifyAuditChain, verifyAuditHead } from '@permitry/protocol';
import { assertReads } from '../access/assert-scope.ts';
import type { Caller } from '../access/caller.ts';
import { GateError } from '../kernel/errors.ts';
import type { AuditDeps } from './audit-deps.ts';
import type { AuditReader, ChainHead } from './audit-event.ts';
import { sealedRecords } from './sealed-records.ts';

export interface AuditVerdict {
  valid: boolean;
  /** The number of records that verified, counted from the first. */
  count: number;
  /** `seq` of the stored head; 0: nothing is sealed yet. */
  sealedThrough: number;
  /** The number of committed events that are not sealed. */
  unsealed: number;
  /** The stored head. A copy kept elsewhere shows later whether this history was rewritten or its tail is missing. */
  head: ChainHead | null;
  /** The first problem found. */
  firstBad?: BadRecord;
}

/**
 * Recomputes the project's whole chain from the stored data: every record's own hash, its texts and its place. Also
 * checks that the chain ends exactly where the signed head says.
 *
 * @throws GateError `project_not_found`, `forbidden`
 */
export async function verifyAudit(gate: AuditDeps, caller: Caller, projectId: string): Promise<AuditVerdict> {
  const { read } = gate.storage;
  await assertReads(read, caller, 'audit:read', projectId);
  // Sealing may fail on a chain that was tampered with. Verification must still report where the chain is broken.
  await gate.ledger.sealNow(projectId).catch(() => undefined);

  const head = await read.findChainHead(projectId);
  const signed = head && (await believedHead(gate, head));
  // Without a trusted head, examine all records, so that a broken one is still named first.
  const records = sealedRecords(read, projectId, signed?.seq ?? Number.MAX_SAFE_INTEGER);
  const chain = await verifyAuditChain(orMalformed(records), { projectId, sinceHead: signed });
  const firstBad = chain.firstBad ?? (await badEnd(gate, projectId, { head, signed, count: chain.count }));
  return {
    valid: firstBad === undefined,
    count: chain.count,
    sealedThrough: head?.seq ?? 0,
    unsealed: await read.countUnsealedEvents(projectId),
    head: head ?? null,
    ...(firstBad === undefined ? {} : { firstBad }),
  };
}

/** A record too damaged to read counts as the first bad one. An unavailable storage does not. */
async function* orMalformed(records: AsyncIterable<unknown>): AsyncGenerator<unknown, void, void> {
  try {
    yield* records;
  } catch (error) {
    if (error instanceof GateError) throw error;
    yield null;
  }
}

/** The stored head, if the gate's own keys signed it; otherwise undefined. */
async function believedHead(
  gate: Pick<AuditDeps, 'tokens'>,
  head: ChainHead,
): Promise<AuditHead | undefined> {
  await gate.tokens.signer.refresh();
  const verified = await verifyAuditHead(head.jws, { jwks: { keys: [...gate.tokens.signer.publicKeys()] } });
  if (!verified.ok) return undefined;
  const { project, seq, hash } = verified.claims;
  return project === head.projectId && seq === head.seq && hash === head.hash ? { seq, hash } : undefined;
}

/** What is wrong with the end of a chain whose records up to its head are all valid. */
async function badEnd(
  { storage: { read } }: Pick<AuditDeps, 'storage'>,
  projectId: string,
  { head, signed, count }: { head: ChainHead | undefined; signed: AuditHead | undefined; count: number },
): Promise<BadRecord | undefined> {
  if (head && !signed) return badHead('The stored head is not signed by a key of this gate for this chain.');
  const [beyond] = await read.listSealedEvents({
    projectId,
    order: 'asc',
    afterSeq: signed?.seq ?? 0,
    limit: 1,
  });
  if (!beyond) return lostBeforeSealing(read, projectId, signed?.seq ?? 0);
  // The extra record may have been sealed during this read. Records and head are written together, so the current head
  // must then reach it.
  const headNow = await read.findChainHead(projectId);
  if (headNow && headNow.seq >= beyond.seq) return undefined;
  if (!headNow) return badHead(`There is no head for the ${count} records.`);
  const message = `Record ${beyond.seq} is after the signed head, at record ${headNow.seq}.`;
  return { seq: beyond.seq, id: beyond.id, problem: 'beyond_head', message };
}

/** If the storage numbers events when it writes them, a missing event shows even before sealing. */
async function lostBeforeSealing(
  read: AuditReader,
  projectId: string,
  endSeq: number,
): Promise<BadRecord | undefined> {
  const [next] = await read.listUnsealedEvents(projectId, 1);
  if (!next || next.seq === null || next.seq === endSeq + 1) return undefined;
  const message = `Event ${endSeq + 1} is missing: it was removed before it was sealed.`;
  return { seq: endSeq + 1, id: null, problem: 'missing_record', message };
}

function badHead(message: string): BadRecord {
  return { seq: null, id: null, problem: 'head_invalid', message };
}
