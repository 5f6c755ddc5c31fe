import { type FSWatcher, watch } from 'node:fs';
import { join } from 'node:path';
import { complainingOnce, repeatedly } from '../gate/kernel/repeatedly.ts';
import type { SigningKeys } from './signing-keys.ts';

/** A database is asked for a number, and once in a minute for all keys, whether anything says that they changed or not. */
const DATABASE = { everyMs: 500, allEvery: 120 };
const FOLDER = { everyMs: 2000, allEvery: 1 };

/**
 * Lets a server take up what others did to its keys: another gate, or the command line. It looks at intervals in any case,
 * and at once when `poll` is called by whoever heard of a change; of a change in a folder it hears by itself where the
 * system tells of it. Keys that cannot be read stay as they are known, and are looked at again.
 *
 * It reads all keys now and then: one that somebody put there, who has no key-encryption key, is never believed, and is
 * to be known of before a gate that starts refuses for it.
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
      // Not every file system tells of changes; the timer does without.
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
