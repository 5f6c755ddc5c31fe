/**
 * Detects that a PostgreSQL database lost acknowledged commits: a standby that was behind was promoted, or an older
 * state was restored. Each run of a gate keeps raising its own timestamp in the database. A gate with a directory also
 * stores the last written timestamp in a file there. If the timestamp in the database is earlier, the database has lost
 * the commits since then.
 */

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeWholeFile } from '../../files/whole-file.ts';
import type { AuditReader } from '../../gate/audit/audit-event.ts';
import type { InstallationReader, InstallationWriter } from '../../gate/installation/installation.ts';
import type { Clock } from '../../gate/kernel/clock.ts';
import { addSeconds, type Instant } from '../../gate/kernel/instant.ts';
import { repeatedly } from '../../gate/kernel/repeatedly.ts';
import { commitsLost, type Losses, markCommitsLost } from '../../gate/restore/lost-commits.ts';
import type { OpenStorage } from '../../storage/storage.ts';

type Database = Pick<OpenStorage, 'identity' | 'read' | 'transaction'>;

const EVERY_MS = 3000;
/**
 * How many of the latest acknowledged events the watch looks for after a promotion. This is more than are written at
 * once.
 */
const REMEMBERED_EVENTS = 4096;
/** How many of a project's latest events are searched for the acknowledged ones. */
const MOST_SCANNED = 50_000;
/** Older timestamps are deleted, and files of that age are ignored: no permit lives that long. */
const FORGOTTEN_AFTER_SECONDS = 400 * 24 * 3600;

/** The file in which a gate on PostgreSQL stores the time until which it served. */
export function servedUntilFile(dataDir: string): string {
  return join(dataDir, 'served-until.json');
}

/** The content of the file `served-until.json`. */
interface Witness {
  database: string;
  run: string;
  served_until: Instant;
}

interface AcknowledgedEvent {
  projectId: string;
  id: string;
}

/**
 * Refuses a database that lost commits, before a gate serves it. Marks a loss in the database, so that running gates
 * close as well.
 * @param remembered.file Written by a gate that served here before. It may not exist.
 * @throws Error for a database that does not know what was served, or is already marked
 */
export async function assertNothingLost(database: Database, remembered: Remembered): Promise<void> {
  const loss = await findLoss(database, remembered);
  if (loss === undefined) return;
  if (!loss.isMarked) await database.transaction((tx) => markCommitsLost(tx, loss.intactUntil));
  throw new Error(loss.sentence);
}

interface Remembered {
  file: string | undefined;
  now: Instant;
}

interface Loss {
  intactUntil: Instant;
  /** Whether the database is already marked. */
  isMarked: boolean;
  sentence: string;
}

/** Finds the loss that makes `assertNothingLost` refuse to serve. Writes nothing. */
export async function findLoss(
  database: Pick<Database, 'identity' | 'read'>,
  { file, now }: Remembered,
): Promise<Loss | undefined> {
  const marked = await database.read.findInstallationFact('commits_lost');
  if (marked !== undefined) {
    const sentence = `A gate noticed that this database lost commits: it contains nothing after ${marked}. Stop all gates. ${WAY_OUT}`;
    return { intactUntil: marked, isMarked: true, sentence };
  }
  const witness = file === undefined ? undefined : readWitness(file);
  // The file says nothing about another database.
  if (!witness || witness.database !== (await database.identity())) return undefined;
  if (witness.served_until < addSeconds(now, -FORGOTTEN_AFTER_SECONDS)) return undefined;
  const known = await knownOf(database.read, witness.run);
  if (known !== undefined && known >= witness.served_until) return undefined;
  const intactUntil = known ?? NEVER;
  return {
    intactUntil,
    isMarked: false,
    sentence:
      `This database was restored to an earlier state: it contains nothing after ${intactUntil}, but ${file} says that this ` +
      `gate served it until ${witness.served_until}. Permits may have been used since. Stop all gates. ` +
      `${WAY_OUT}${witness.served_until > now ? CLOCK_WAS_AHEAD : ''}`,
  };
}

const NEVER: Instant = new Date(0).toISOString();

const WAY_OUT =
  'Run: permitry declare-restored --revoke-keys (or --keep-keys), which revokes unused approvals and stops every ' +
  'project until you start it.';

/**
 * Added for a file whose time is in the future. A declaration counts from the current time, which would be too early.
 */
const CLOCK_WAS_AHEAD =
  ' That time is in the future: the clock of the database was ahead. Delete the file before you declare it.';

/** The time up to which the database knows this run. A later declaration replaces that time. */
async function knownOf(read: InstallationReader, run: string): Promise<Instant | undefined> {
  const [own, declared] = await Promise.all([
    read.findInstallationFact(`served_until/${run}`),
    read.findInstallationFact('declared_at'),
  ]);
  return [own, declared].reduce((later, at) => (at !== undefined && (later ?? '') < at ? at : later));
}

/** What the database contains: everything, a loss that another gate marked, or a loss that no gate has marked yet. */
type Found =
  | { kind: 'raised'; promotions: number; known: Instant }
  | { kind: 'marked'; intactUntil: Instant }
  | { kind: 'lost' };

/** Watches from `start` to `stop`. */
export class LossWatch implements Losses {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #run: string;
  readonly #file: string | null;
  readonly #onError: (error: unknown) => void;
  #stop: (() => Promise<void>) | undefined;
  #polling: Promise<void> | undefined;
  /** The last timestamp of this run that the database is known to have had. */
  #known: Instant | undefined;
  #events: AcknowledgedEvent[] = [];
  #promotions = 0;
  /** How many of the promotions have been checked. */
  #polled = 0;
  #intactUntil: Instant | null = null;
  #isMarked = false;
  #isUnwritable = false;
  #identity: string | null = null;

  /**
   * @param run A name for this run of the gate and no other.
   * @param onError Called once for a loss, and for errors that stop the watch from working.
   */
  constructor(
    { storage, clock }: { storage: Database; clock: Clock },
    { run, file, onError }: { run: string; file: string | null; onError: (error: unknown) => void },
  ) {
    this.#database = storage;
    this.#clock = clock;
    this.#run = run;
    this.#file = file;
    this.#onError = onError;
  }

  get intactUntil(): Instant | null {
    return this.#intactUntil;
  }

  async start(): Promise<void> {
    this.#identity = await this.#database.identity();
    const longAgo = addSeconds(this.#clock.now(), -FORGOTTEN_AFTER_SECONDS);
    await this.#database
      .transaction((tx) => tx.deleteMarksOfTime(longAgo), { guarded: true })
      .catch(this.#onError);
    await this.#raise().catch(this.#onError);
    this.#stop = repeatedly(EVERY_MS, () => this.#raise(), this.#onError);
  }

  async assertNone(): Promise<void> {
    while (this.#polled < this.#promotions && this.#intactUntil === null) await this.#raise();
    if (this.#intactUntil !== null) throw commitsLost();
  }

  async poll(): Promise<void> {
    await this.assertNone();
    const marked = await this.#database.read.findInstallationFact('commits_lost');
    if (marked === undefined) return;
    this.#noticeMarked(marked);
    throw commitsLost();
  }

  acknowledged(projectId: string, eventId: string): void {
    this.#events.push({ projectId, id: eventId });
    if (this.#events.length > 2 * REMEMBERED_EVENTS) this.#events = this.#events.slice(-REMEMBERED_EVENTS);
  }

  /** Another server was promoted. Nothing continues until the check has ended. */
  promoted(): void {
    this.#promotions += 1;
    // Callers wait for this check and get its error.
    this.#raise().catch(() => {});
  }

  /** Raises the timestamp one last time. Then deletes it if no file names this run. */
  async stop(): Promise<void> {
    if (!this.#stop) return;
    await this.#stop();
    this.#stop = undefined;
    await this.#raise().catch(this.#onError);
    if (this.#file !== null || this.#intactUntil !== null) return;
    await this.#database
      .transaction((tx) => tx.deleteInstallationFact(`served_until/${this.#run}`), { guarded: true })
      .catch(this.#onError);
  }

  #raise(): Promise<void> {
    this.#polling ??= this.#pollAndRaise().finally(() => {
      this.#polling = undefined;
    });
    return this.#polling;
  }

  async #pollAndRaise(): Promise<void> {
    if (this.#intactUntil !== null) return this.#mark(this.#intactUntil);
    const now = this.#clock.now();
    // Events acknowledged from here on may be committed after the new timestamp.
    const events = this.#events;
    this.#events = [];
    let found: Found;
    try {
      found = await this.#database.transaction((tx) => this.#raiseIn(tx, events, now), { guarded: true });
    } catch (error) {
      this.#events = [...events, ...this.#events];
      throw error;
    }
    if (found.kind === 'marked') return this.#noticeMarked(found.intactUntil);
    if (found.kind === 'lost') {
      const intactUntil = this.#known ?? now;
      this.#notice(intactUntil);
      return this.#mark(intactUntil);
    }
    // Another server was promoted meanwhile and may have committed this timestamp. So the next check looks for these
    // events as well.
    if (found.promotions < this.#promotions) this.#events = [...events, ...this.#events];
    this.#known = found.known;
    this.#polled = found.promotions;
    this.#write(found.known);
  }

  async #raiseIn(
    tx: AuditReader & InstallationReader & InstallationWriter,
    events: readonly AcknowledgedEvent[],
    now: Instant,
  ): Promise<Found> {
    // Read here and not earlier: this transaction may be the first to reach a promoted server.
    const promotions = this.#promotions;
    const [marked, known] = await Promise.all([
      tx.findInstallationFact('commits_lost'),
      knownOf(tx, this.#run),
    ]);
    if (marked !== undefined) return { kind: 'marked', intactUntil: marked };
    if ((known ?? '') < (this.#known ?? '')) return { kind: 'lost' };
    if (promotions > this.#polled && !(await knowsAll(tx, [...events, ...this.#events]))) {
      return { kind: 'lost' };
    }
    await tx.raiseInstallationFact(`served_until/${this.#run}`, now);
    return { kind: 'raised', promotions, known: known !== undefined && known > now ? known : now };
  }

  /** Another gate noticed the loss and marked it in the database. */
  #noticeMarked(intactUntil: Instant): void {
    this.#isMarked = true;
    this.#notice(intactUntil);
  }

  #notice(intactUntil: Instant): void {
    if (this.#intactUntil !== null) return;
    this.#intactUntil = intactUntil;
    this.#onError(
      new Error(
        `The database lost everything written after ${intactUntil}, and perhaps more: it was restored, or a standby that was behind ` +
          'was promoted. Uses of permits may be lost, so this gate no longer changes or verifies anything. Stop all gates ' +
          'and run: permitry declare-restored',
      ),
    );
  }

  async #mark(intactUntil: Instant): Promise<void> {
    if (this.#isMarked) return;
    await this.#database.transaction((tx) => markCommitsLost(tx, intactUntil));
    this.#isMarked = true;
  }

  /** Called only after the database write, so that the file never claims more than was durable. */
  #write(servedUntil: Instant): void {
    if (this.#file === null || this.#identity === null) return;
    try {
      const witness: Witness = { database: this.#identity, run: this.#run, served_until: servedUntil };
      // The file is written so often that the write must not wait for the disk. A file that a power failure emptied
      // counts as missing.
      writeWholeFile(this.#file, `${JSON.stringify(witness)}\n`, { durable: false });
      this.#isUnwritable = false;
    } catch (error) {
      // The failure is reported once, and the next write tries again. Until then, the gate serves like one without a
      // directory.
      if (this.#isUnwritable) return;
      this.#isUnwritable = true;
      this.#onError(error);
    }
  }
}

async function knowsAll(tx: AuditReader, events: readonly AcknowledgedEvent[]): Promise<boolean> {
  const byProject = Map.groupBy(events.slice(-REMEMBERED_EVENTS), ({ projectId }) => projectId);
  for (const [projectId, own] of byProject) {
    const latest = new Set(await tx.listLatestEventIds(projectId, MOST_SCANNED));
    if (own.some(({ id }) => !latest.has(id))) return false;
  }
  return true;
}

/** @throws Error for a file that exists and cannot be read */
function readWitness(file: string): Witness | undefined {
  if (!existsSync(file)) return undefined;
  const text = readFileSync(file, 'utf8');
  try {
    return JSON.parse(text) as Witness;
  } catch {
    // A power failure can leave the file incomplete.
    return undefined;
  }
}
