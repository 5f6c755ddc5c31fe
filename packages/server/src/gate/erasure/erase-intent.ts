import type { EventType } from '@permitry/protocol';
import { assertScope } from '../access/assert-scope.ts';
import type { Caller } from '../access/caller.ts';
import type { ApprovalReader } from '../approvals/approval.ts';
import type { AuditReader, SealedEvent } from '../audit/audit-event.ts';
import type { Intent } from '../intents/intent.ts';
import { GateError } from '../kernel/errors.ts';
import type { Instant } from '../kernel/instant.ts';
import { unknownIntent } from '../kernel/not-found.ts';
import type { OutboxWriter } from '../outbox/delivery.ts';
import { changeProject } from '../projects/change-project.ts';
import type { ConnectorRequestWriter } from '../tools/connector-request.ts';
import type { MockRecordWriter } from '../tools/mock-record.ts';
import { eraseAnswersWith } from './erase-answers.ts';
import { eventWithoutTexts } from './erased-event.ts';
import { openUntil, withoutTexts } from './erased-intent.ts';
import type { Erasure, ErasureWriter } from './erasure.ts';
import type { ErasureDeps } from './erasure-deps.ts';
import { recordErasure } from './record-erasure.ts';
import { settleFiles } from './unfinished-erasure.ts';

const PAGE = 200;

/**
 * Erases the texts of one intent everywhere: parameters, metadata, reasons and names. That includes its audit records,
 * its permits and receipt, and answers stored for repetition. Hashes stay, so permits, receipts and records verify as
 * before. A second call erases what was written about the intent since.
 *
 * @throws GateError `project_not_found`, `forbidden`, `intent_not_found`, `conflict` while the intent is pending or its
 * permit can still be used
 */
export async function eraseIntent(
  gate: ErasureDeps,
  caller: Caller,
  { projectId, intentId }: { projectId: string; intentId: string },
): Promise<Erasure> {
  assertScope(caller, 'texts:erase', projectId);
  const subject = { projectId, subject: 'intent', subjectId: intentId } as const;
  // The erasure only finds sealed records.
  await gate.ledger.sealNow(projectId);
  const records = await changeProject(
    gate,
    caller,
    projectId,
    'texts:erase',
    async ({ tx, now, caller: by }) => {
      const intent = await tx.findIntent(intentId);
      if (!intent || intent.projectId !== projectId) throw unknownIntent();
      assertClosed(intent, now);
      await eraseIntentRow(tx, intent, now);
      const erased = await eraseEventsOf(tx, intent);
      await recordErasure(gate, tx, { ...subject, by, at: now });
      return erased;
    },
  );
  const answers = await eraseAnswersWith(gate, subject, intentId, () => true);
  return { intents: 1, records, answers, files: await settleFiles(gate, projectId) };
}

function assertClosed(intent: Intent, now: Instant): void {
  const ends = openUntil(intent, now);
  if (ends === null) return;
  throw new GateError(
    'conflict',
    intent.status === 'pending'
      ? 'This request is pending. Deny or withdraw it first.'
      : `The permit of this request can be used until ${ends}. Revoke it first.`,
    {},
  );
}

/** Erases its row, votes, permits and receipt. The intent was read in this transaction and is no longer open. */
export async function eraseIntentRow(
  tx: ApprovalReader & AuditReader & ConnectorRequestWriter & ErasureWriter & MockRecordWriter & OutboxWriter,
  intent: Intent,
  now: Instant,
): Promise<void> {
  const votes = await tx.listApprovals(intent.id);
  await tx.eraseIntentTexts(intent, await listPermitIds(tx, intent), withoutTexts(intent, votes), now);
  await tx.eraseApproverNames(intent.id);
  await tx.eraseNotificationsOfIntent(intent.id);
  await tx.eraseConnectorRequestOf(intent.id, now);
  await tx.eraseMockRecord(intent.id);
}

/** Finds the permits by their events. An intent has several permits when its requester asked for fresh ones. */
export async function listPermitIds(tx: AuditReader, intent: Intent): Promise<string[]> {
  if (!intent.permit) return [];
  const ids = new Set([intent.permit.id]);
  for await (const { data } of eventsOf(tx, intent.projectId, intent.id, 'permit.issued')) {
    if (typeof data.permit_id === 'string') ids.add(data.permit_id);
  }
  return [...ids];
}

async function eraseEventsOf(
  tx: AuditReader & ErasureWriter,
  { projectId, id: intentId }: Intent,
): Promise<number> {
  let erased = 0;
  for await (const event of eventsOf(tx, projectId, intentId)) {
    // The name of the person who erased texts is not a text of the intent.
    const texts = event.type === 'text.erased' ? undefined : eventWithoutTexts(event);
    if (!texts) continue;
    await tx.eraseEventTexts(projectId, event.seq, texts);
    erased += 1;
  }
  return erased;
}

async function* eventsOf(
  read: AuditReader,
  projectId: string,
  intentId: string,
  ...types: readonly EventType[]
): AsyncGenerator<SealedEvent, void, void> {
  const which = { projectId, intentId, ...(types.length > 0 ? { types } : {}) };
  for (let afterSeq = 0; ; ) {
    const page = await read.listSealedEvents({ ...which, order: 'asc', afterSeq, limit: PAGE });
    yield* page;
    const last = page.at(-1);
    if (!last || page.length < PAGE) return;
    afterSeq = last.seq;
  }
}
