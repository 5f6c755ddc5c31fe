/**
 * Until when gates served a database. They write it into the database, and where they have a directory, beside it: a
 * database that says less than that was put back to an earlier state, by whatever means.
 */
import { existsSync, readFileSync } from 'node:fs';
import type { Instant } from './gate/instant.ts';
import type { Clock } from './gate/ports.ts';
import { repeatedly } from './gate/repeatedly.ts';
import type { OpenStorage } from './storage/storage.ts';
import { writeWholeFile } from './whole-file.ts';

type Database = Pick<OpenStorage, 'identity' | 'read' | 'transaction'>;

/** What was lost of so long is not noticed. */
const EVERY_MS = 3000;

/** What stands in the file. */
interface Witness {
  database: string;
  served_until: Instant;
}

/**
 * For a gate that is about to serve.
 *
 * @param file As a gate wrote it that served here before; there may be none.
 * @throws Error for a database that does not know of what was served
 */
export async function assertNotBehind(database: Database, file: string, now: Instant): Promise<void> {
  const witness = readWitness(file);
  // Of another database it says nothing.
  if (!witness || witness.database !== (await database.identity())) return;
  const known = await database.read.findInstallationFact('served_until');
  if (known !== undefined && known >= witness.served_until) return;
  throw new Error(
    `This database was put back to an earlier state: it knows of nothing after ${known ?? 'an earlier release'}, and this ` +
      `gate served it until ${witness.served_until}, as ${file} says. It may not know what was used since. Run: permitry ` +
      'declare-restored --revoke-keys (or --keep-keys), which takes back unused approvals and stops every project until ' +
      `you start it.${witness.served_until > now ? CLOCK_WAS_AHEAD : ''}`,
  );
}

/** What is declared counts as of now, which is not enough then. */
const CLOCK_WAS_AHEAD =
  ' That time is still to come: the clock of the database was ahead. Once it is declared, delete the file.';

/** Goes on saying that the database is served, until it is stopped. */
export class ServedUntil {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #file: string | null;
  readonly #onError: (error: unknown) => void;
  #stop: (() => Promise<void>) | undefined;
  /** As the database is known to have said. */
  #known: Instant | undefined;
  #isBehind = false;
  #isUnwritable = false;
  #identity: string | null = null;

  constructor(
    { storage, clock }: { storage: Database; clock: Clock },
    { file, onError }: { file: string | null; onError: (error: unknown) => void },
  ) {
    this.#database = storage;
    this.#clock = clock;
    this.#file = file;
    this.#onError = onError;
  }

  async start(): Promise<void> {
    this.#identity = await this.#database.identity();
    if (this.#identity === null) return;
    await this.say().catch(this.#onError);
    this.#stop = repeatedly(EVERY_MS, () => this.say(), this.#onError);
  }

  async say(): Promise<void> {
    if (this.#isBehind) return;
    const now = this.#clock.now();
    const before = this.#known;
    const known = await this.#database.transaction(
      async (tx) => {
        const found = await tx.findInstallationFact('served_until');
        if (before !== undefined && (found === undefined || found < before)) return undefined;
        await tx.raiseInstallationFact('served_until', now);
        return found !== undefined && found > now ? found : now;
      },
      { guarded: true },
    );
    if (known === undefined) {
      // Neither here nor in the file anything is said any more that would hide it from whoever starts next.
      this.#isBehind = true;
      throw new Error(
        `The database lost what was written after ${before} at the latest: it was put back, or a standby was promoted ` +
          'that was behind. Uses of permits may be among it. Stop all gates and run: permitry declare-restored',
      );
    }
    this.#known = known;
    if (this.#file === null || this.#identity === null) return;
    try {
      const witness: Witness = { database: this.#identity, served_until: known };
      // So often that no disk should wait for it; one that a power failure emptied counts as none.
      writeWholeFile(this.#file, `${JSON.stringify(witness)}\n`, { durable: false });
      this.#isUnwritable = false;
    } catch (error) {
      // Said once, and tried again: as long as it fails the gate serves as one that has no directory.
      if (this.#isUnwritable) return;
      this.#isUnwritable = true;
      throw error;
    }
  }

  /** Says it once more. */
  async stop(): Promise<void> {
    if (!this.#stop) return;
    await this.#stop();
    this.#stop = undefined;
    await this.say().catch(this.#onError);
  }
}

/** @throws Error for a file that is there and may not be read */
function readWitness(file: string): Witness | undefined {
  if (!existsSync(file)) return undefined;
  const text = readFileSync(file, 'utf8');
  try {
    return JSON.parse(text) as Witness;
  } catch {
    // As a machine that lost its power leaves it.
    return undefined;
  }
}
