import { recordEvent } from '../audit/record-event.ts';
import { GateError } from '../errors.ts';
import type { Gate } from '../gate.ts';
import type { Instant } from '../instant.ts';
import type { DueIntent, Intent } from './intent.ts';

export function isDue(intent: Intent, now: Instant): boolean {
  return intent.status === 'pending' && intent.expiresAt <= now;
}

/**
 * Whoever first finds an intent past its time writes the transition: a read, a decision, or the sweeper. The answer
 * is the same whichever it was, for the expiry is dated by the intent's own time.
 */
export async function expireIfDue(gate: Gate, intent: Intent): Promise<Intent> {
  if (!isDue(intent, gate.clock.now())) return intent;
  if (!(await tryToExpire(gate, [intent]))) return asExpired(intent);
  return (await gate.storage.read.findIntent(intent.id)) ?? intent;
}

/** False when the storage cannot write just now: reading goes on all the same, and the sweeper writes it later. */
export async function tryToExpire(gate: Gate, intents: readonly DueIntent[]): Promise<boolean> {
  try {
    await expireIntents(gate, intents);
    return true;
  } catch (error) {
    if (error instanceof GateError && error.code === 'service_unavailable') return false;
    throw error;
  }
}

/** A due intent as the transition will leave it, whenever that is written. */
export function asExpired(intent: Intent): Intent {
  return { ...intent, status: 'expired', revision: intent.revision + 1, resolvedAt: intent.expiresAt };
}

export async function expireIntents(gate: Gate, intents: readonly DueIntent[]): Promise<void> {
  const now = gate.clock.now();
  await gate.storage.transaction(async (tx) => {
    for (const intent of intents) {
      if (!(await tx.expireIntent(intent.id, now))) continue;
      await recordEvent(gate, tx, {
        projectId: intent.projectId,
        type: 'intent.expired',
        occurredAt: intent.expiresAt,
        actor: { type: 'system', id: 'clock', display: 'the clock' },
        intentId: intent.id,
        data: { expires_at: intent.expiresAt },
      });
      tx.afterCommit(() => gate.wakeups.wake(intent.id));
    }
  });
}

/**
 * Expires every intent whose time has passed, in batches, so that requests get their turn between two of them. Goes
 * on until none is left, whoever wrote them: another may have taken a whole batch.
 */
export async function expireAllDue(gate: Gate): Promise<void> {
  for (;;) {
    const due = await gate.storage.read.listDueIntents(gate.clock.now(), BATCH);
    if (due.length === 0) return;
    await expireIntents(gate, due);
  }
}

const BATCH = 200;
