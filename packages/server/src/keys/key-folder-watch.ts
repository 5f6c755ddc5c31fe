import { type FSWatcher, statSync, watch } from 'node:fs';
import { join } from 'node:path';
import type { SigningKeys } from './signing-keys.ts';

const EVERY_MS = 2000;
/** Some file systems tell times no finer; a change that close to the last look may have been missed by it. */
const GRAIN_MS = 1000;

/**
 * Lets a running server take up what the command line did to its keys: rotated them, or withdrew one. It hears of a
 * change at once where the system tells of it, and looks every two seconds in any case.
 */
export class KeyFolderWatch {
  readonly #signer: Pick<SigningKeys, 'reload'>;
  readonly #folder: string;
  readonly #onError: (error: unknown) => void;
  readonly #onChange: () => Promise<void>;
  /** The folder's time at the last look, and since when it has been that one. */
  #seen: { mtimeMs: number; since: number; forGood: boolean } | undefined;
  #timer: NodeJS.Timeout | undefined;
  #watcher: FSWatcher | undefined;
  #polling: Promise<void> | undefined;
  #again = false;

  constructor(
    signer: Pick<SigningKeys, 'reload'>,
    dataDir: string,
    /** `onChange`: run after each reload. */
    on: { error: (error: unknown) => void; change?: () => Promise<void> },
  ) {
    this.#signer = signer;
    this.#folder = join(dataDir, 'keys');
    this.#onError = on.error;
    this.#onChange = on.change ?? (async () => {});
  }

  start(): void {
    this.#timer = setInterval(() => void this.poll(), EVERY_MS);
    this.#timer.unref();
    try {
      this.#watcher = watch(this.#folder, { persistent: false }, () => void this.poll());
      this.#watcher.on('error', () => this.#watcher?.close());
    } catch {
      // Not every file system tells of changes; the timer does without.
    }
  }

  /** A folder that cannot be read leaves the keys as they are, and is looked at again. */
  async poll(): Promise<void> {
    this.#again = this.#polling !== undefined;
    this.#polling ??= this.#pollNow().finally(() => {
      this.#polling = undefined;
      if (this.#again) void this.poll();
    });
    await this.#polling;
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#watcher?.close();
    this.#again = false;
    await this.#polling;
  }

  async #pollNow(): Promise<void> {
    const now = performance.now();
    try {
      // Every change of a key is a rename in the folder. Its time is only ever compared with itself: the clock that
      // gave it may have been set back since, or be another machine's.
      const { mtimeMs } = statSync(this.#folder);
      const known = this.#seen?.mtimeMs === mtimeMs ? this.#seen : undefined;
      if (known?.forGood) return;
      const since = known?.since ?? now;
      await this.#signer.reload();
      this.#seen = { mtimeMs, since, forGood: now - since > GRAIN_MS };
      await this.#onChange();
    } catch (error) {
      this.#onError(error);
    }
  }
}
