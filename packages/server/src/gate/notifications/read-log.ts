/** The reader of sealed events that fills the outbox. Its place in each project's chain moves in the same transaction. */

import type { Gate } from '../gate.ts';
import { nextTurn } from '../next-turn.ts';
import { Addressing } from './address-notices.ts';
import { TOLD_EVENTS, toNotices, toReminder } from './to-notices.ts';

const READER = 'notifications';

/** Events of one step, looked through and told of; few rows at once, so that nobody waits behind their transaction. */
const LOOK_THROUGH = 2000;
const PAGE = 500;
const MOST_ROWS = 300;

/** `unreachable`: nobody of the project can be told of anything. */
export type LogReading = 'more' | 'caught_up' | 'unreachable';

/**
 * Deals with the next events of a project. Two who read at once cannot tell twice:
 * the place moves by a guarded update, and whoever comes second writes nothing.
 */
export async function readLog(gate: Gate, projectId: string): Promise<LogReading> {
  const { committed: read } = gate;
  const place = await read.findReaderPlace(READER, projectId);
  const head = await read.findChainHead(projectId);
  const from = place ?? 0;
  if (!head || head.seq <= from) return 'caught_up';
  if (!(await canReach(gate, projectId))) {
    // Whom a channel is opened for tomorrow is not told of today.
    await gate.storage.transaction((tx) => tx.moveReader(READER, projectId, place, head.seq));
    return 'unreachable';
  }
  const throughSeq = Math.min(from + LOOK_THROUGH, head.seq);
  const events = await read.listSealedEvents({
    projectId,
    types: TOLD_EVENTS,
    order: 'asc',
    afterSeq: from,
    throughSeq,
    limit: PAGE,
  });
  const addressing = new Addressing(gate);
  const reminders: { intentId: string; dueAt: string | null }[] = [];
  const settled: string[] = [];
  let to = events.length < PAGE ? throughSeq : (events.at(-1)?.seq ?? throughSeq);
  for (const [index, event] of events.entries()) {
    // Whom a request waits for is weighed person by person; requests that come in meanwhile are answered in between.
    if (index % 10 === 9) await nextTurn();
    const { notices, remindAt } = await toNotices(gate, event);
    for (const notice of notices) await addressing.add(notice);
    if (event.intentId !== null && remindAt !== undefined) {
      reminders.push({ intentId: event.intentId, dueAt: remindAt });
      if (remindAt === null) settled.push(event.intentId);
    }
    if (addressing.size >= MOST_ROWS) {
      to = event.seq;
      break;
    }
  }
  await gate.storage.transaction(async (tx) => {
    if (!(await tx.moveReader(READER, projectId, place, to))) return;
    await addressing.write(tx);
    for (const { intentId, dueAt } of reminders) {
      if (dueAt === null) await tx.deleteReminder(intentId);
      else await tx.insertReminder({ intentId, projectId, dueAt });
    }
    for (const intentId of settled) await tx.forgetTold(intentId);
  });
  return to < head.seq ? 'more' : 'caught_up';
}

/** Whether anything could be said to anybody of this project. */
async function canReach(gate: Gate, projectId: string): Promise<boolean> {
  if (gate.reach.mail || (await gate.committed.hasPushSubscriptions())) return true;
  return (await gate.committed.findChatHook(projectId)) !== undefined;
}

const REMINDERS = 20;

/** Puts the reminders whose time has come into the outbox; answers whether there may be more. */
export async function readReminders(gate: Gate): Promise<boolean> {
  const due = await gate.committed.listDueReminders(gate.clock.now(), REMINDERS);
  if (due.length === 0) return false;
  const addressing = new Addressing(gate);
  for (const { intentId } of due) {
    const notice = await toReminder(gate, intentId);
    if (notice) await addressing.add(notice);
  }
  await gate.storage.transaction(async (tx) => {
    for (const { intentId } of due) await tx.deleteReminder(intentId);
    // What another process put there meanwhile stands there once: the cause is the same.
    await addressing.write(tx);
  });
  return due.length === REMINDERS;
}
