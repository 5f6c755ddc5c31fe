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
  /** Null: by the clock, as the project's retention says. */
  by: Caller | null;
  at: Instant;
  /** Texts of what happened before. */
  olderThan?: Instant;
}

const CLOCK: Actor = { type: 'system', id: 'clock', display: 'the clock' };

/**
 * Tells the ledger that texts go, and never which. Where that takes more than one transaction it stands in the first:
 * an erasure cut short is recorded, and one that is recorded can be carried out again.
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
