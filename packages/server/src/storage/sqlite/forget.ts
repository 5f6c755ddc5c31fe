import { Worker } from 'node:worker_threads';
import { GateError } from '../../gate/kernel/errors.ts';
import type { ForgetOptions } from '../../gate/kernel/storage.ts';

export interface ForgetInput {
  file: string;
  /** How long to wait for other users of the database. */
  timeoutMs: number;
  /** Larger files are not rebuilt, because writers would wait too long. */
  rewriteBelowBytes: number;
}

interface Round {
  rewrite: boolean;
  /** Whether the file was rebuilt. */
  done: Promise<boolean>;
}

const RETRY_AFTER_SECONDS = 2;

/**
 * Removes overwritten and deleted data from the files. `secure_delete` has overwritten the data in place. But the
 * write-ahead log keeps earlier contents of pages, and a split page may keep some in its unused part. So the log is
 * emptied, and a file that is not too large is rebuilt.
 *
 * Rounds run one at a time, each on a thread and connection of its own. The calling thread continues, and its writers
 * wait for at most that one round. All calls during a round share the next one, because the current round may have
 * started before their erasure.
 */
export class Forgetting {
  readonly #input: ForgetInput;
  #running: Promise<boolean> | undefined;
  #next: Round | undefined;

  constructor(input: ForgetInput) {
    this.#input = input;
  }

  /**
   * @param options.rewrite Rebuilds the file, however large it is.
   * @returns whether the file was rebuilt
   * @throws GateError `service_unavailable` when others use the database for longer than the time limit
   */
  ask({ rewrite = false }: ForgetOptions = {}): Promise<boolean> {
    this.#next ??= this.#afterRunning();
    this.#next.rewrite ||= rewrite;
    return this.#next.done;
  }

  #afterRunning(): Round {
    const round: Round = { rewrite: false, done: Promise.resolve(false) };
    // Starts a tick later even if no round is running, so that calls from the same tick share the round.
    round.done = Promise.resolve(this.#running?.catch(() => undefined)).then(() => {
      this.#next = undefined;
      this.#running = runWorker({
        ...this.#input,
        ...(round.rewrite ? { rewriteBelowBytes: Number.POSITIVE_INFINITY } : {}),
      }).finally(() => {
        this.#running = undefined;
      });
      return this.#running;
    });
    return round;
  }
}

async function runWorker(input: ForgetInput): Promise<boolean> {
  const worker = new Worker(new URL('./forget-worker.ts', import.meta.url), {
    workerData: input,
    name: 'permitry-forget',
  });
  try {
    return await new Promise<boolean>((resolve, reject) => {
      let isRewritten = false;
      worker.once('message', (answer: boolean) => {
        isRewritten = answer;
      });
      worker.once('error', reject);
      worker.once('exit', (code) =>
        code === 0 ? resolve(isRewritten) : reject(new Error(`it ended with ${code}`)),
      );
    });
  } catch (cause) {
    throw new GateError(
      'service_unavailable',
      'The texts are erased, but earlier copies may still be in the database files; try again shortly.',
      { retry_after_seconds: RETRY_AFTER_SECONDS },
      { cause },
    );
  }
}
