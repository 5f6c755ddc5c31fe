import { ALONE, type Bus } from '../kernel/bus.ts';
import { addSeconds, type Instant } from '../kernel/instant.ts';
import { complainingOnce, repeatedly } from '../kernel/repeatedly.ts';
import { type SealingGate, sealProject } from './seal.ts';

export interface SealerOptions {
  /** Called for every failure to seal. The sealer keeps trying. */
  onError: (error: unknown, projectId: string | null) => void;
  /** Milliseconds from the first unsealed event to its seal. Events that arrive before then are sealed with it. */
  delayMs?: number;
  /** How seals are announced between gates on the same database. Omitted: there are no other gates. */
  bus?: Bus;
}

const DELAY_MS = 200;
const LONGEST_RETRY_MS = 30_000;

/**
 * How often to look for events that another gate left unsealed. An event that two looks in a row find first is taken
 * over, within a second of its commit.
 */
const LEFT_BEHIND_EVERY_MS = 300;
const TAKE_OVER_WITHIN_MS = 100;
/** How often to read the ends of the chains, because the bus may lose messages. */
const POLL_FOR_SEALS_EVERY_MS = 1000;
/** How far the clocks of two gates may differ, plus the delay of a seal's commit after its date. */
const SEALS_READ_BACK_SECONDS = 30;

/** The work in progress for one project. */
interface Work {
  timer: NodeJS.Timeout | undefined;
  /** The current run, and the run that begins after it. A run covers only events committed before it began. */
  running: Promise<void> | undefined;
  following: Promise<void> | undefined;
  failures: number;
}

/**
 * Seals events soon after they are committed, outside every request. Runs one at a time per project, and projects in
 * parallel. Reports a failure and retries with increasing back-off; a failure never stops the gate.
 */
export class Sealer {
  readonly #gate: SealingGate;
  readonly #onError: SealerOptions['onError'];
  readonly #delayMs: number;
  readonly #work = new Map<string, Work>();
  readonly #listeners = new Set<(projectId: string) => void>();
  readonly #bus: Bus;
  /** Functions that stop watching other gates. */
  #stops: (() => unknown)[] = [];
  /** For each project that had unsealed events at the last look: the position of its first. */
  #firstPositions = new Map<string, number>();
  /** For each project sealed lately: where its chain ended at the last look. */
  #ends = new Map<string, number>();
  #endsReadAt: Instant | undefined;
  #closed = false;

  constructor(gate: SealingGate, options: SealerOptions) {
    this.#gate = gate;
    this.#onError = options.onError;
    this.#delayMs = options.delayMs ?? DELAY_MS;
    this.#bus = options.bus ?? ALONE;
  }

  /** Seals what an earlier process committed but did not seal. Also takes over from other gates from now on. */
  async start(): Promise<void> {
    const report = (error: unknown): void => this.#onError(error, null);
    if (this.#bus.shared) {
      const takeOver = complainingOnce(() => this.#takeOver(), report);
      const pollForSeals = complainingOnce(() => this.#pollForSeals(), report);
      this.#stops = [
        this.#bus.hear('sealed', (projectId) => this.#tellListeners(projectId)),
        this.#bus.onMissed(() => void pollForSeals()),
        repeatedly(LEFT_BEHIND_EVERY_MS, takeOver, report),
        repeatedly(POLL_FOR_SEALS_EVERY_MS, pollForSeals, report),
      ];
    }
    try {
      const unsealed = await this.#gate.storage.read.listUnsealedProjects();
      for (const { projectId } of unsealed) this.sealSoon(projectId);
    } catch (error) {
      report(error);
    }
  }

  sealSoon(projectId: string): void {
    const work = this.#workOf(projectId);
    if (work.timer || this.#closed) return;
    // Random, because gates that seal in step would collide every time.
    const factor = this.#bus.shared ? 0.75 + Math.random() / 2 : 1;
    this.#schedule(projectId, work, this.#delayMs * factor);
  }

  /** Resolves when every event committed before the call is sealed. Rejects when sealing failed. */
  sealNow(projectId: string): Promise<void> {
    const work = this.#workOf(projectId);
    clearTimeout(work.timer);
    work.timer = undefined;
    if (work.following) return work.following;
    if (!work.running) return this.#run(projectId, work);
    const follow = () => this.#run(projectId, work);
    work.following = work.running.then(follow, follow);
    return work.following;
  }

  onSealed(listener: (projectId: string) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Tries once to seal the remaining events. After a failure, which it reports, the next start seals them. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all(this.#stops.map((stop) => stop()));
    const waiting = [...this.#work].filter(([, work]) => work.timer || work.running).map(([id]) => id);
    await Promise.all(waiting.map((projectId) => this.#attempt(projectId)));
  }

  #run(projectId: string, work: Work): Promise<void> {
    work.following = undefined;
    work.running = sealProject(this.#gate, projectId).then(
      (sealed) => {
        work.running = undefined;
        work.failures = 0;
        if (sealed === 0) return;
        this.#tellListeners(projectId);
        this.#bus.tell('sealed', projectId);
      },
      (error) => {
        work.running = undefined;
        this.#retryLater(projectId, work);
        throw error;
      },
    );
    return work.running;
  }

  async #attempt(projectId: string): Promise<void> {
    try {
      await this.sealNow(projectId);
    } catch (error) {
      this.#onError(error, projectId);
    }
  }

  #tellListeners(projectId: string): void {
    for (const listener of this.#listeners) listener(projectId);
  }

  /** Another gate seals its own events soon. An event that stays unsealed belongs to a gate that stopped or hangs. */
  async #takeOver(): Promise<void> {
    const before = this.#firstPositions;
    this.#firstPositions = new Map();
    for (const { projectId, firstPosition } of await this.#gate.storage.read.listUnsealedProjects()) {
      this.#firstPositions.set(projectId, firstPosition);
      const work = this.#workOf(projectId);
      const left = before.get(projectId) === firstPosition;
      if (!left || work.timer || work.running || this.#closed) continue;
      this.#schedule(projectId, work, Math.random() * TAKE_OVER_WITHIN_MS);
    }
  }

  /** Notifies listeners of seals by any gate, even if the bus lost the message. */
  async #pollForSeals(): Promise<void> {
    const now = this.#gate.clock.now();
    const since = addSeconds(this.#endsReadAt ?? now, -SEALS_READ_BACK_SECONDS);
    const ends = await this.#gate.storage.read.listChainEnds(since);
    this.#endsReadAt = now;
    const before = this.#ends;
    this.#ends = new Map(ends.map(({ projectId, seq }) => [projectId, seq]));
    for (const { projectId, seq } of ends) {
      if (before.get(projectId) !== seq) this.#tellListeners(projectId);
    }
  }

  #retryLater(projectId: string, work: Work): void {
    work.failures += 1;
    if (work.timer || this.#closed) return;
    this.#schedule(projectId, work, Math.min(this.#delayMs * 2 ** work.failures, LONGEST_RETRY_MS));
  }

  #schedule(projectId: string, work: Work, delayMs: number): void {
    work.timer = setTimeout(() => this.#attempt(projectId), delayMs);
  }

  #workOf(projectId: string): Work {
    const known = this.#work.get(projectId);
    if (known) return known;
    const work: Work = { timer: undefined, running: undefined, following: undefined, failures: 0 };
    this.#work.set(projectId, work);
    return work;
  }
}
