import { type SealingGate, sealProject } from './seal.ts';

export interface LedgerOptions {
  /** Told of every failure to seal; the ledger goes on trying. */
  onError: (error: unknown, projectId: string | null) => void;
  /** From the first unsealed event to its seal, in milliseconds; what else happens meanwhile is sealed with it. */
  delayMs?: number;
}

const DELAY_MS = 200;
const LONGEST_RETRY_MS = 30_000;

/** What goes on in one project. */
interface Work {
  timer: NodeJS.Timeout | undefined;
  /** The run under way, and the one that begins after it: a run promises only what was committed before it began. */
  running: Promise<void> | undefined;
  following: Promise<void> | undefined;
  failures: number;
}

/**
 * Seals events soon after they are committed, outside every request: one run at a time for each project, projects
 * beside one another. A failure is reported and tried again, ever more slowly; it never stops the gate.
 */
export class Ledger {
  readonly #gate: SealingGate;
  readonly #onError: LedgerOptions['onError'];
  readonly #delayMs: number;
  readonly #work = new Map<string, Work>();
  readonly #listeners = new Set<(projectId: string) => void>();
  #closed = false;

  constructor(gate: SealingGate, options: LedgerOptions) {
    this.#gate = gate;
    this.#onError = options.onError;
    this.#delayMs = options.delayMs ?? DELAY_MS;
  }

  /** Takes up what an earlier process committed and did not come to seal. */
  async start(): Promise<void> {
    try {
      for (const projectId of await this.#gate.storage.read.listUnsealedProjects()) this.sealSoon(projectId);
    } catch (error) {
      this.#onError(error, null);
    }
  }

  sealSoon(projectId: string): void {
    const work = this.#workOf(projectId);
    if (work.timer || this.#closed) return;
    this.#schedule(projectId, work, this.#delayMs);
  }

  /** Resolves when every event committed before the call is sealed; rejects when that failed. */
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

  /** Seals what is left, once; a failure is reported, and left to the next start. */
  async close(): Promise<void> {
    this.#closed = true;
    const waiting = [...this.#work].filter(([, work]) => work.timer || work.running).map(([id]) => id);
    await Promise.all(waiting.map((projectId) => this.#attempt(projectId)));
  }

  #run(projectId: string, work: Work): Promise<void> {
    work.following = undefined;
    work.running = sealProject(this.#gate, projectId).then(
      (sealed) => {
        work.running = undefined;
        work.failures = 0;
        if (sealed > 0) for (const listener of this.#listeners) listener(projectId);
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
