import type { Caller } from '../access/caller.ts';
import type { AuditWriter } from '../audit/audit-event.ts';
import type { Intent } from '../intents/intent.ts';
import { addSeconds, type Instant } from '../kernel/instant.ts';
import type { AfterCommit } from '../kernel/storage.ts';
import { yieldToEventLoop } from '../kernel/yield-to-event-loop.ts';
import { eraseIntentRow } from './erase-intent.ts';
import { eventWithoutTexts } from './erased-event.ts';
import { openUntil } from './erased-intent.ts';
import type { ErasureWriter } from './erasure.ts';
import type { ErasureDeps } from './erasure-deps.ts';
import { recordErasure } from './record-erasure.ts';
import type { RetentionWriter } from './retention.ts';
import type { UnfinishedErasureWriter } from './unfinished-erasure.ts';
import { type FilesState, markUnfinished, settleFiles } from './unfinished-erasure.ts';

/** Rows per transaction: few enough that nobody waits long. */
const INTENTS_AT_ONCE = 25;
const EVENTS_AT_ONCE = 100;
const DAY_SECONDS = 24 * 3600;

/** How many intents and records were erased. Stored answers need no erasure: they expire after a day. */
export interface AgedErasure {
  intents: number;
  records: number;
  files: FilesState;
}

/** The state of one run. */
interface Run {
  gate: ErasureDeps;
  projectId: string;
  by: Caller | null;
  olderThan: Instant;
  /** Set once the run has recorded itself in the audit log. */
  recorded: boolean;
  recordedIn: WeakSet<object>;
  /** The function to wait for between two transactions. */
  pause(): Promise<void>;
}

/**
 * Erases all texts in a project older than the given number of days. That covers intents created before then (unless
 * they are pending, or their permit can be used) and audit records written before then. Examines each intent and record
 * once, in order of time. The next run continues where the last one stopped.
 *
 * @param options.pause Awaited between two small transactions. Default: a turn of the event loop.
 */
export async function eraseAged(
  gate: ErasureDeps,
  by: Caller | null,
  { projectId, days }: { projectId: string; days: number },
  { pause = yieldToEventLoop }: { pause?: () => Promise<void> } = {},
): Promise<AgedErasure> {
  const olderThan = addSeconds(gate.clock.now(), -days * DAY_SECONDS);
  const run: Run = { gate, projectId, by, olderThan, recorded: false, recordedIn: new WeakSet(), pause };
  // The erasure only finds sealed records.
  await gate.ledger.sealNow(projectId);
  const intents = (await eraseWaiting(run)) + (await eraseIntentsInOrder(run));
  const records = await eraseRecordsInOrder(run);
  // Also finishes the files of earlier runs that could not do so.
  return { intents, records, files: await settleFiles(gate, projectId) };
}

async function eraseWaiting(run: Run): Promise<number> {
  const { gate, projectId } = run;
  for (let erased = 0; ; ) {
    const due = await gate.storage.read.listWaitingIntents(projectId, gate.clock.now(), INTENTS_AT_ONCE);
    if (due.length === 0) return erased;
    erased += await eraseTogether(run, due, async () => {});
  }
}

async function eraseIntentsInOrder(run: Run): Promise<number> {
  const { gate, projectId, olderThan } = run;
  for (let erased = 0; ; ) {
    const next = await gate.storage.read.listUnsweptIntents(projectId, INTENTS_AT_ONCE);
    const young = next.findIndex(({ createdAt }) => createdAt >= olderThan);
    const aged = young < 0 ? next : next.slice(0, young);
    const last = aged.at(-1);
    if (!last) return erased;
    erased += await eraseTogether(run, aged, (tx) => tx.saveSweptIntent(projectId, last.id));
  }
}

/** Open intents are examined again at the time from which they can no longer be open. */
async function eraseTogether(
  run: Run,
  intents: readonly Intent[],
  advance: (tx: ErasureWriter & RetentionWriter) => Promise<void>,
): Promise<number> {
  const { gate, pause } = run;
  const now = gate.clock.now();
  const erased = await gate.storage.transaction(async (tx) => {
    let count = 0;
    for (const { id } of intents) {
      const intent = await tx.findIntent(id);
      if (!intent) continue;
      const ends = openUntil(intent, now);
      await tx.saveWaitingIntent(intent, ends);
      if (ends !== null) continue;
      await tell(run, tx);
      await eraseIntentRow(tx, intent, now);
      count += 1;
    }
    await advance(tx);
    return count;
  });
  await pause();
  return erased;
}

async function eraseRecordsInOrder(run: Run): Promise<number> {
  const { gate, projectId, olderThan, pause } = run;
  let { sweptEventSeq: afterSeq } = await gate.storage.read.findRetention(projectId);
  for (let erased = 0; ; ) {
    const page = await gate.storage.read.listSealedEvents({
      projectId,
      order: 'asc',
      afterSeq,
      limit: EVENTS_AT_ONCE,
    });
    const young = page.findIndex(({ occurredAt }) => occurredAt >= olderThan);
    const aged = young < 0 ? page : page.slice(0, young);
    const last = aged.at(-1);
    if (!last) return erased;
    afterSeq = last.seq;
    const going = aged.flatMap((event) => {
      const texts = eventWithoutTexts(event);
      return texts ? [{ seq: event.seq, texts }] : [];
    });
    await gate.storage.transaction(async (tx) => {
      if (going.length > 0) await tell(run, tx);
      for (const { seq, texts } of going) await tx.eraseEventTexts(projectId, seq, texts);
      await tx.saveSweptEvent(projectId, last.seq);
    });
    erased += going.length;
    await pause();
  }
}

/** Called in each transaction that erases anything. The first one records the event. */
async function tell(run: Run, tx: AfterCommit & AuditWriter & UnfinishedErasureWriter): Promise<void> {
  if (run.recordedIn.has(tx)) return;
  run.recordedIn.add(tx);
  const { gate, by, olderThan } = run;
  const subject = { projectId: run.projectId, subject: 'age', subjectId: null } as const;
  if (run.recorded) return markUnfinished(gate, tx, subject);
  // The run counts as recorded only after the commit: a transaction may be undone and run again.
  tx.afterCommit(() => {
    run.recorded = true;
  });
  await recordErasure(gate, tx, { ...subject, by, at: gate.clock.now(), olderThan });
}
