import type { Actor } from '../access/caller.ts';
import { type Caller, toActor } from '../access/caller.ts';
import type { AuditWriter } from '../audit/audit-event.ts';
import { recordEvent } from '../audit/record-event.ts';
import type { Instant } from '../kernel/instant.ts';
import type { AfterCommit } from '../kernel/storage.ts';
import type { ErasureDeps } from './erasure-deps.ts';
import type { UnfinishedErasureWriter } from './unfinished-erasure.ts';
import { type ErasureSubject, markUnfinished } from './unfinished-erasure.ts';

interface ErasureToRecord extends ErasureSubject {
  /** Null: by the clock, according to the project's retention. */
  by: Caller | null;
  at: Instant;
  /** The erasure covers only texts of events before this instant. */
  olderThan?: Instant;
}

const CLOCK: Actor = { type: 'system', id: 'clock', display: 'the clock' };

/**
 * Records in the audit log that texts are erased, but never the texts themselves. If that takes several transactions,
 * the first one records it. So an interrupted erasure is on record, and can be carried out again.
 */
export async function recordErasure(
  gate: ErasureDeps,
  tx: AfterCommit & AuditWriter & UnfinishedErasureWriter,
  erasure: ErasureToRecord,
): Promise<void> {
  const { projectId, by, at, subject, subjectId, olderThan = null } = erasure;
  await markUnfinished(gate, tx, { projectId, subject, subjectId });
  await recordEvent(gate, tx, {
    projectId,
    type: 'text.erased',
    occurredAt: at,
    actor: by ? toActor(by) : CLOCK,
    intentId: subject === 'intent' ? subjectId : null,
    data: { subject, person_id: subject === 'person' ? subjectId : null, older_than: olderThan },
  });
}
