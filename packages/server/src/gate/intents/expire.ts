import { recordEvent } from '../audit/record-event.ts';
import type { Gate } from '../gate.ts';
import type { Instant } from '../instant.ts';
import type { Intent } from './intent.ts';

export function isDue(intent: Intent, now: Instant): boolean {
  return intent.status === 'pending' && intent.expiresAt <= now;
}

/**
 * Whoever first finds an intent past its time writes the transition: a read, a decision, or the sweeper. The answer
 * is the same whichever it was, for the expiry is dated by the intent's own time.
 */
export async function expireIfDue(gate: Gate, intent: Intent): Promise<Intent> {
  if (!isDue(intent, gate.clock.now())) return intent;
  await expireIntents(gate, [intent]);
  return (await gate.storage.read.findIntent(intent.id)) ?? intent;
}

/** Answers how many this caller was the first to expire. */
export async function expireIntents(gate: Gate, intents: readonly Intent[]): Promise<number> {
  const now = gate.clock.now();
  return gate.storage.transaction(async (tx) => {
    let expired = 0;
    for (const intent of intents) {
      if (!(await tx.expireIntent(intent.id, now))) continue;
      expired += 1;
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
    return expired;
  });
}

/** Expires up to `limit` intents whose time has passed; answers how many. */
export async function expireDueIntents(gate: Gate, limit = 200): Promise<number> {
  const due = await gate.storage.read.listDueIntents(gate.clock.now(), limit);
  if (due.length === 0) return 0;
  const intents = await Promise.all(due.map((id) => gate.storage.read.findIntent(id)));
  return expireIntents(
    gate,
    intents.filter((intent) => intent !== undefined),
  );
}
