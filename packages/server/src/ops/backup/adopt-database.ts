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
 * For a PostgreSQL database that was put back to an older state (a dump, a base backup, a point in time, a standby that
 * was behind), before any gate serves it: it is treated as one made out of a backup. Doing it twice does no harm.
 *
 * @throws BackupError `occupied` while a gate serves it, `damaged`; GateError `conflict` when the clock stands before
 * the copy
 */
export async function adoptDatabase(
  { gate, storage }: Opened,
  operator: OperatorCaller,
  { revokeKeys }: { revokeKeys: boolean },
): Promise<Adopted> {
  await assertUnserved(gate);
  const adopted = await takeOver(gate, operator, { revokeKeys });
  // Last of all: cut off before, it may still not be served.
  await rememberServed(storage, gate.clock.now());
  return adopted;
}

/**
 * For a PostgreSQL database that the newest state was carried into while no gate served: everything in it holds, and it
 * may be served.
 *
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
    `A gate that serves this database was heard of ${Math.max(0, Math.round(serving[0]?.silentSeconds ?? 0))} seconds ago; stop all gates first, or wait for a quarter of a minute if it is the copy that remembers it.`,
  );
}
