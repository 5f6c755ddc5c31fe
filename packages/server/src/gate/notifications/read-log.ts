/**
 * The reader of sealed events that fills the outbox. The reader's position in a project's chain moves in the
 * transaction that writes the deliveries.
 */

import { yieldToEventLoop } from '../kernel/yield-to-event-loop.ts';
import type { LogReader } from '../outbox/log-reader.ts';
import { readSealed } from '../outbox/read-sealed.ts';
import { Addressing } from './address-notices.ts';
import type { NotificationDeps } from './notification-deps.ts';
import { NOTIFIED_EVENTS, toNotices, toReminder } from './to-notices.ts';

const READER = 'notifications';

/** Events that one step scans and turns into notifications. Few rows, so that nobody waits behind their transaction. */
const PAGE = 500;
const MOST_ROWS = 300;

/**
 * How often the reader looks at all projects: for events that other gates left behind, and for projects without any
 * recipient.
 */
const LOOK_EVERY_MS = 5000;

export function notificationLog(gate: NotificationDeps): LogReader {
  const sealed = new Set<string>();
  gate.ledger.onSealed((projectId) => sealed.add(projectId));
  let lookedAt = Number.NEGATIVE_INFINITY;
  return {
    what: 'notifications',
    everySeal: false,
    async *read(atOnce) {
      const isLook = atOnce || performance.now() - lookedAt >= LOOK_EVERY_MS;
      if (isLook) lookedAt = performance.now();
      const behind = isLook ? await gate.storage.read.listProjectsBehind(READER) : [];
      for (const projectId of new Set([...sealed, ...behind])) {
        const run = async () => {
          sealed.delete(projectId);
          try {
            if (await canReach(gate, projectId)) await readLog(gate, projectId);
            else if (isLook) await passOver(gate, projectId);
          } catch (error) {
            sealed.add(projectId);
            throw error;
          }
        };
        yield { projectId, run };
      }
      yield { projectId: null, run: () => readReminders(gate) };
    },
  };
}

/**
 * Processes all sealed events of a project. One gate at a time does this, so that the gates do not all weigh the same
 * events. A guarded update of the position prevents duplicate notifications: the gate that comes second writes nothing.
 */
async function readLog(gate: NotificationDeps, projectId: string): Promise<void> {
  await gate.leases.hold({ queue: `log for ${READER}`, name: projectId }, async () => {
    while ((await readNext(gate, projectId)) === 'more');
  });
}

/** Skips all sealed events. If a channel is set up later, it must not report them. */
async function passOver(gate: Pick<NotificationDeps, 'storage'>, projectId: string): Promise<void> {
  const { read } = gate.storage;
  const position = await read.findReaderPosition(READER, projectId);
  const head = await read.findChainHead(projectId);
  await gate.storage.transaction((tx) => tx.moveReader(READER, projectId, position, head?.seq ?? 0));
}

/** Processes the next events: so few that their transaction is short. */
async function readNext(gate: NotificationDeps, projectId: string): Promise<'more' | 'caught_up'> {
  const page = await readSealed(gate, { reader: READER, projectId }, { types: NOTIFIED_EVENTS, limit: PAGE });
  if (!page) return 'caught_up';
  const { position, headSeq, events } = page;
  const addressing = new Addressing(gate);
  const reminders: { intentId: string; dueAt: string | null }[] = [];
  const settled: string[] = [];
  let to = page.end;
  for (const [index, event] of events.entries()) {
    // Finding the approvers checks person by person. The gate answers incoming requests between two events.
    if (index % 10 === 9) await yieldToEventLoop();
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
    if (!(await tx.moveReader(READER, projectId, position, to))) return;
    await addressing.write(tx);
    for (const { intentId, dueAt } of reminders) {
      if (dueAt === null) await tx.deleteReminder(intentId);
      else await tx.insertReminder({ intentId, projectId, dueAt });
    }
    for (const intentId of settled) await tx.forgetNotified(intentId);
  });
  return to < headSeq ? 'more' : 'caught_up';
}

/** Whether any channel can reach a recipient of this project. */
async function canReach(
  gate: Pick<NotificationDeps, 'reach' | 'storage'>,
  projectId: string,
): Promise<boolean> {
  if (gate.reach.mail || (await gate.storage.read.hasPushSubscriptions())) return true;
  return (await gate.storage.read.findChatHook(projectId)) !== undefined;
}

const REMINDERS = 20;

/** The intent was decided first, or another gate with an expired lease sent the reminder first. */
class OvertakenError extends Error {}

/** Puts due reminders into the outbox. One gate at a time does this. */
export async function readReminders(gate: NotificationDeps): Promise<void> {
  const due = await gate.storage.read.listDueReminders(gate.clock.now(), 1);
  if (due.length === 0) return;
  await gate.leases.hold({ queue: 'reminders', name: 'all' }, async () => {
    while (await readSomeReminders(gate));
  });
}

async function readSomeReminders(gate: NotificationDeps): Promise<boolean> {
  const due = await gate.storage.read.listDueReminders(gate.clock.now(), REMINDERS);
  if (due.length === 0) return false;
  const addressing = new Addressing(gate);
  for (const { intentId } of due) {
    const notice = await toReminder(gate, intentId);
    if (notice) await addressing.add(notice);
  }
  try {
    await gate.storage.transaction(async (tx) => {
      for (const { intentId } of due) {
        if (!(await tx.deleteReminder(intentId))) throw new OvertakenError();
      }
      await addressing.write(tx);
    });
  } catch (error) {
    if (!(error instanceof OvertakenError)) throw error;
    return true;
  }
  return due.length === REMINDERS;
}
