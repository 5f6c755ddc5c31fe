import type { OperatorCaller } from '../../gate/access/caller.ts';
import { listServingGates } from '../../gate/heartbeats/serving-gates.ts';
import type { GateParts } from '../../open-gate.ts';
import type { OpenStorage } from '../../storage/storage.ts';
import { rememberServed } from '../restore-detection/served-database.ts';
import { BackupError } from './backup-error.ts';
import { type Adopted, takeOver } from './take-over.ts';

interface Opened {
  gate: GateParts;
  storage: OpenStorage;
}

/**
 * Adopts a PostgreSQL database that was set back to an older state, before any gate serves it. The state may come from
 * a dump, a base backup, a point in time, or a standby that was behind. Treats the database like one restored from a
 * backup. Repeating the call does no harm.
 * @throws BackupError `occupied` while a gate serves it, `damaged`; GateError `conflict` when the clock is before the
 * copy
 */
export async function adoptDatabase(
  { gate, storage }: Opened,
  operator: OperatorCaller,
  { revokeKeys }: { revokeKeys: boolean },
): Promise<Adopted> {
  await assertUnserved(gate);
  const adopted = await takeOver(gate, operator, { revokeKeys });
  // This comes last: if an earlier step is interrupted, the database must not be served yet.
  await rememberServed(storage, gate.clock.now());
  return adopted;
}

/**
 * Adopts a PostgreSQL database that received the newest state while no gate served. Everything in the database is
 * valid, and it may be served.
 * @throws BackupError `occupied` while a gate serves it
 */
export async function adoptComplete({ gate, storage }: Opened): Promise<void> {
  await assertUnserved(gate);
  await rememberServed(storage, gate.clock.now());
}

async function assertUnserved(gate: GateParts): Promise<void> {
  const serving = await listServingGates(gate.storage.read, gate.clock.now());
  if (serving.length === 0) return;
  throw new BackupError(
    'occupied',
    `A gate served this database ${Math.max(0, Math.round(serving[0]?.silentSeconds ?? 0))} seconds ago. Stop all gates first. If only the copy remembers that gate, wait 15 seconds.`,
  );
}
