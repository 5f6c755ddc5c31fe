/**
 * Notices when a PostgreSQL database lacks commits that were acknowledged: a standby that was behind was promoted, or an
 * older state was put back. Each run of a gate raises a fact of its own in the database, its mark of time, and keeps beside the
 * database, where it has a directory, what it last wrote. A database that says less has lost the rest.
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
/** Of the events acknowledged since the last mark of time, the latest are looked for: more than are written at once. */
const REMEMBERED_EVENTS = 4096;
/** So many of a project's latest events are looked through for them. */
const MOST_SCANNED = 50_000;
/** Marks of runs long past are deleted, and files of that age believed no more: no permit lives that long. */
const FORGOTTEN_AFTER_SECONDS = 400 * 24 * 3600;

/** Where a gate on PostgreSQL keeps until when it served. */
export function servedUntilFile(dataDir: string): string {
  return join(dataDir, 'served-until.json');
}

/** The content of the file. */
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
 * For a gate that is about to serve. A loss that it finds is marked in the database, so that gates that run close as well.
 *
 * @param file As a gate wrote it that served here before; there may be none.
 * @throws Error for a database that does not know of what was served, or that is marked already
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
  /** Whether the database says so itself already. */
  isMarked: boolean;
  sentence: string;
}

/** The loss that `assertNothingLost` would refuse to serve with; nothing is written. */
export async function findLoss(
  database: Pick<Database, 'identity' | 'read'>,
  { file, now }: Remembered,
): Promise<Loss | undefined> {
  const marked = await database.read.findInstallationFact('commits_lost');
  if (marked !== undefined) {
    const sentence = `A gate noticed that this database lost commits: it knows of nothing after ${marked}. Stop all gates. ${WAY_OUT}`;
    return { intactUntil: marked, isMarked: true, sentence };
  }
  const witness = file === undefined ? undefined : readWitness(file);
  // Of another database it says nothing.
  if (!witness || witness.database !== (await database.identity())) return undefined;
  if (witness.served_until < addSeconds(now, -FORGOTTEN_AFTER_SECONDS)) return undefined;
  const known = await knownOf(database.read, witness.run);
  if (known !== undefined && known >= witness.served_until) return undefined;
  const intactUntil = known ?? NEVER;
  return {
    intactUntil,
    isMarked: false,
    sentence:
      `This database was put back to an earlier state: it knows of nothing after ${intactUntil}, and this gate served it ` +
      `until ${witness.served_until}, as ${file} says. It may not know what was used since. Stop all gates. ` +
      `${WAY_OUT}${witness.served_until > now ? CLOCK_WAS_AHEAD : ''}`,
  };
}

const NEVER: Instant = new Date(0).toISOString();

const WAY_OUT =
  'Run: permitry declare-restored --revoke-keys (or --keep-keys), which takes back unused approvals and stops every ' +
  'project until you start it.';

/** What is declared counts as of now, which is not enough then. */
const CLOCK_WAS_AHEAD =
  ' That time is still to come: the clock of the database was ahead. Delete the file before you declare it.';

/** What the database knows of that run; what was declared of it since counts as known. */
async function knownOf(read: InstallationReader, run: string): Promise<Instant | undefined> {
  const [own, declared] = await Promise.all([
    read.findInstallationFact(`served_until/${run}`),
    read.findInstallationFact('declared_at'),
  ]);
  return [own, declared].reduce((later, at) => (at !== undefined && (later ?? '') < at ? at : later));
}

/** What the database was found to hold: everything, a loss that another gate marked, or one that none has yet. */
type Found =
  | { kind: 'raised'; promotions: number; known: Instant }
  | { kind: 'marked'; intactUntil: Instant }
  | { kind: 'lost' };

/** Watches from `start` until `stop`. */
export class LossWatch implements Losses {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #run: string;
  readonly #file: string | null;
  readonly #onError: (error: unknown) => void;
  #stop: (() => Promise<void>) | undefined;
  #polling: Promise<void> | undefined;
  /** As the database is known to have said of this run. */
  #known: Instant | undefined;
  #events: AcknowledgedEvent[] = [];
  #promotions = 0;
  /** Of the promotions, those whose server was looked at. */
  #polled = 0;
  #intactUntil: Instant | null = null;
  #isMarked = false;
  #isUnwritable = false;
  #identity: string | null = null;

  /**
   * @param run Names this run of the gate, and no other.
   * @param onError Told once of a loss, and of what keeps the watch from its work.
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

  /** Another server has taken over: until it was looked at, nothing goes on. */
  promoted(): void {
    this.#promotions += 1;
    // Callers wait for this look, and get its error.
    this.#raise().catch(() => {});
  }

  /** Says it once more; where no file tells of this run, its mark goes. */
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
    // What is acknowledged from here on may be committed after the new mark of time.
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
    // Another server took over meanwhile, and may have committed this mark: the next look asks it for these events too.
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
    // Not before: this transaction may be the first that reached a server that was promoted.
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

  /** Another gate did, and said so in the database. */
  #noticeMarked(intactUntil: Instant): void {
    this.#isMarked = true;
    this.#notice(intactUntil);
  }

  #notice(intactUntil: Instant): void {
    if (this.#intactUntil !== null) return;
    this.#intactUntil = intactUntil;
    this.#onError(
      new Error(
        `The database lost what was written after ${intactUntil} at the latest: it was put back, or a standby was promoted ` +
          'that was behind. Uses of permits may be among it, so this gate changes and verifies nothing any more. Stop all ' +
          'gates and run: permitry declare-restored',
      ),
    );
  }

  async #mark(intactUntil: Instant): Promise<void> {
    if (this.#isMarked) return;
    await this.#database.transaction((tx) => markCommitsLost(tx, intactUntil));
    this.#isMarked = true;
  }

  /** Always the database first: so the file never says more than was durable. */
  #write(servedUntil: Instant): void {
    if (this.#file === null || this.#identity === null) return;
    try {
      const witness: Witness = { database: this.#identity, run: this.#run, served_until: servedUntil };
      // So often that no disk should wait for it; one that a power failure emptied counts as none.
      writeWholeFile(this.#file, `${JSON.stringify(witness)}\n`, { durable: false });
      this.#isUnwritable = false;
    } catch (error) {
      // Said once, and tried again: as long as it fails the gate serves as one that has no directory.
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
