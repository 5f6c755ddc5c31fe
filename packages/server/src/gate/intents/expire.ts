import type { AuditWriter } from '../audit/audit-event.ts';
import { recordEvent } from '../audit/record-event.ts';
import { GateError } from '../kernel/errors.ts';
import type { Instant } from '../kernel/instant.ts';
import type { AfterCommit } from '../kernel/storage.ts';
import type { DueIntent, Intent, IntentWriter, ListedIntent } from './intent.ts';
import type { IntentDeps } from './intent-deps.ts';

export function isDue(intent: Pick<Intent, 'status' | 'expiresAt'>, now: Instant): boolean {
  return intent.status === 'pending' && intent.expiresAt <= now;
}

/**
 * The first process that finds an intent past its expiry writes the transition: a read, a decision, or the sweeper. The
 * result is the same, because the transition is dated at the intent's own expiry.
 */
export async function expireIfDue(gate: IntentDeps, intent: Intent): Promise<Intent> {
  if (!isDue(intent, gate.clock.now())) return intent;
  if (!(await tryToExpire(gate, [intent]))) return asExpired(intent);
  return (await gate.storage.read.findIntent(intent.id)) ?? intent;
}

/** False when the storage cannot write at the moment. Reading continues, and the sweeper writes the expiry later. */
export async function tryToExpire(gate: IntentDeps, intents: readonly DueIntent[]): Promise<boolean> {
  try {
    await expireIntents(gate, intents);
    return true;
  } catch (error) {
    if (error instanceof GateError && error.code === 'service_unavailable') return false;
    throw error;
  }
}

/** A due intent as it is after the transition, before or after the transition is written. */
export function asExpired<T extends ListedIntent>(intent: T): T {
  return { ...intent, status: 'expired', revision: intent.revision + 1, resolvedAt: intent.expiresAt };
}

export async function expireIntents(gate: IntentDeps, intents: readonly DueIntent[]): Promise<void> {
  const now = gate.clock.now();
  await gate.storage.transaction((tx) => expireEach(gate, tx, intents, now), { guarded: true });
}

async function expireEach(
  gate: IntentDeps,
  tx: AfterCommit & AuditWriter & IntentWriter,
  intents: readonly DueIntent[],
  now: Instant,
): Promise<void> {
  await Promise.all(
    intents.map(async ({ id, projectId, expiresAt }) => {
      if (!(await tx.expireIntent(id, now))) return;
      await recordEvent(gate, tx, {
        projectId,
        type: 'intent.expired',
        occurredAt: expiresAt,
        actor: { type: 'system', id: 'clock', display: 'the clock' },
        intentId: id,
        data: { expires_at: expiresAt },
      });
      tx.afterCommit(() => gate.listeners.wakeups.wake(id));
    }),
  );
}

/**
 * Expires every due intent in batches, so that requests get their turn between two batches. Continues until none is
 * left. Every gate does this, and each takes the intents that no other gate is working on.
 */
export async function expireAllDue(gate: IntentDeps): Promise<void> {
  for (;;) {
    const due = await gate.storage.read.listDueIntents(gate.clock.now(), BATCH);
    if (due.length === 0) return;
    // If nothing was expired, other gates work on all due intents. This call can then only wait for those gates.
    if ((await expireSome(gate)) === 0) await expireIntents(gate, due);
  }
}

async function expireSome(gate: IntentDeps): Promise<number> {
  const now = gate.clock.now();
  return gate.storage.transaction(
    async (tx) => {
      const claimed = await tx.claimDueIntents(now, BATCH);
      await expireEach(gate, tx, claimed, now);
      return claimed.length;
    },
    { guarded: true },
  );
}

const BATCH = 200;
