import { type FSWatcher, watch } from 'node:fs';
import { join } from 'node:path';
import { complainingOnce, repeatedly } from '../gate/kernel/repeatedly.ts';
import type { SigningKeys } from './signing-keys.ts';

/** A database is asked for its revision, and once a minute for all keys, whether the revision changed or not. */
const DATABASE = { everyMs: 500, allEvery: 120 };
const FOLDER = { everyMs: 2000, allEvery: 1 };

/**
 * Takes up changes that another gate or the command line made to the keys. It looks at intervals in any case, and at once
 * when `poll` is called after a notification. A folder is also watched, where the file system reports changes. Keys that
 * cannot be read stay as they were known, and are read again later.
 *
 * It reads all keys now and then: a row by somebody without the key-encryption key is never believed, but operators should
 * hear of it before a gate refuses to start because of it.
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
    /** `change`: run after each look. */
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
      // Not every file system reports changes; then the timer has to do.
    }
  }

  /** One look after the other. */
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
