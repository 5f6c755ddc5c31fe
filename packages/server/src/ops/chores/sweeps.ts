/** Deletes what has expired. Each sweep returns how many rows it deleted. */
import type { SessionWriter } from '../../gate/access/session.ts';
import type { Clock } from '../../gate/kernel/clock.ts';
import type { IdempotencyWriter } from '../../gate/kernel/idempotency.ts';
import { addSeconds } from '../../gate/kernel/instant.ts';
import type { Storage } from '../../gate/kernel/storage.ts';
import { sweep } from '../../gate/kernel/sweep.ts';
import type { LeaseWriter } from '../../gate/leases/lease.ts';
import type { ProofWriter } from '../../gate/proof/proof-session.ts';
import type { OneTimeLinkWriter } from '../../people/links/one-time-link.ts';
import type { PairingWriter } from '../../people/pairings/pairing.ts';
import type { PasskeyWriter } from '../../people/passkeys/passkey.ts';
import type { SignInCountWriter } from '../../people/sign-in-tries/sign-in-count.ts';
import { PAIRS } from '../../people/sign-in-tries/sign-in-tries.ts';

/** Dependencies of a sweep. `Writes` are the writers for the rows that it deletes. */
interface SweepDeps<Writes> {
  storage: Storage<unknown, Writes>;
  clock: Clock;
}

const LEASE_KEPT_SECONDS = 600;
/** Strangers can invent any number of names, so only the newest are kept. */
const MOST_PAIRS = 100_000;

/** Deletes remembered answers. */
export function sweepAnswers(gate: SweepDeps<IdempotencyWriter>): Promise<number> {
  return sweep(gate, (tx, now, limit) => tx.deleteExpiredIdempotencyRecords(now, limit));
}

/** Deletes challenges, proof sessions and pairings. */
export function sweepChallenges(
  gate: SweepDeps<PairingWriter & PasskeyWriter & ProofWriter>,
): Promise<number> {
  return sweep(gate, async (tx, now, limit) => {
    const sessions = await tx.deleteExpiredProofSessions(now, limit);
    const pairings = await tx.deleteExpiredPairings(now, limit);
    return sessions + pairings + (await tx.deleteExpiredPasskeyChallenges(now, limit));
  });
}

/** Deletes leases that no process has held for a while. */
export function sweepLeases(gate: SweepDeps<LeaseWriter>): Promise<number> {
  return sweep(gate, (tx, now, limit) => tx.deleteOldLeases(addSeconds(now, -LEASE_KEPT_SECONDS), limit));
}

/** Deletes links and tickets. */
export function sweepLinks(gate: SweepDeps<OneTimeLinkWriter>): Promise<number> {
  return sweep(gate, (tx, now, limit) => tx.deleteExpiredLinks(now, limit));
}

export function sweepSessions(gate: SweepDeps<SessionWriter>): Promise<number> {
  return sweep(gate, (tx, now, limit) => tx.deleteOldSessions(now, limit));
}

/** Deletes counts of sign-in attempts that no longer limit anybody. */
export async function sweepSignInTries(gate: SweepDeps<SignInCountWriter>): Promise<number> {
  const old = await sweep(gate, (tx, now, limit) => tx.deleteOldSignInCounts(now, limit));
  return old + (await sweep(gate, (tx, _now, limit) => tx.trimSignInCounts(PAIRS, MOST_PAIRS, limit)));
}
