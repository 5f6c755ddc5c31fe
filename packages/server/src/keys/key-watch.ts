import { type FSWatcher, watch } from 'node:fs';
import { join } from 'node:path';
import { complainingOnce, repeatedly } from '../gate/kernel/repeatedly.ts';
import type { SigningKeys } from './signing-keys.ts';

/** Polls the database for its revision. Once a minute it reads all keys, even if the revision did not change. */
const DATABASE = { everyMs: 500, allEvery: 120 };
const FOLDER = { everyMs: 2000, allEvery: 1 };

/**
 * Picks up key changes that another gate or the command line made. It polls at intervals, and whenever `poll` is called
 * after a notification. It also watches a folder, if the file system reports changes. Keys that cannot be read stay as
 * last known and are read again later.
 * From time to time it reads all keys, even without a change. A row from somebody without the key-encryption key is
 * never accepted. This read reports such a row to the operator before it keeps a gate from starting.
 */
export class KeyWatch {
  readonly #folder: string | undefined;
  readonly #look: () => Promise<void>;
  #stop = async (): Promise<void> => {};
  #watcher: FSWatcher | undefined;
  #polls = 0;
  #last = Promise.resolve();

  constructor(
    signer: Pick<SigningKeys, 'refresh' | 'reload'>,
    where: { directory: string } | 'database',
    /** `change`: runs after each poll. */
    on: { error: (error: unknown) => void; change?: () => Promise<void> },
  ) {
    this.#folder = where === 'database' ? undefined : join(where.directory, 'keys');
    this.#look = complainingOnce(async () => {
      this.#polls += 1;
      if (this.#polls % this.#interval.allEvery === 0) await signer.reload();
      else await signer.refresh();
      await on.change?.();
    }, on.error);
  }

  get #interval(): typeof DATABASE {
    return this.#folder === undefined ? DATABASE : FOLDER;
  }

  start(): void {
    this.#stop = repeatedly(
      this.#interval.everyMs,
      () => this.poll(),
      () => {},
    );
    if (this.#folder === undefined) return;
    try {
      this.#watcher = watch(this.#folder, { persistent: false }, () => void this.poll());
      this.#watcher.on('error', () => this.#watcher?.close());
    } catch {
      // Not every file system reports changes. The timer still polls.
    }
  }

  /** Polls run one after another. */
  poll(): Promise<void> {
    this.#last = this.#last.then(this.#look);
    return this.#last;
  }

  async stop(): Promise<void> {
    this.#watcher?.close();
    await this.#stop();
    await this.#last;
  }
}
