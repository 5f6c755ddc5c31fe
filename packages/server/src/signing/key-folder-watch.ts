import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { FileSigner } from './file-signer.ts';

const EVERY_MS = 2000;
/** Some file systems tell times no finer; a change that close to the last look may have been missed by it. */
const GRAIN_MS = 1000;

/** Lets a running server take up what the command line did to its keys: rotated them. */
export class KeyFolderWatch {
  readonly #signer: Pick<FileSigner, 'reload'>;
  readonly #folder: string;
  readonly #onError: (error: unknown) => void;
  #lookedAt = Date.now();
  #timer: NodeJS.Timeout | undefined;

  constructor(signer: Pick<FileSigner, 'reload'>, dataDir: string, onError: (error: unknown) => void) {
    this.#signer = signer;
    this.#folder = join(dataDir, 'keys');
    this.#onError = onError;
  }

  start(): void {
    this.#timer = setInterval(() => this.look(), EVERY_MS);
    this.#timer.unref();
  }

  /** A folder that cannot be read leaves the keys as they are, and is looked at again. */
  look(): void {
    const now = Date.now();
    try {
      // Every change of a key is a rename in the folder.
      if (statSync(this.#folder).mtimeMs < this.#lookedAt - GRAIN_MS) return;
      this.#signer.reload();
      this.#lookedAt = now;
    } catch (error) {
      this.#onError(error);
    }
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}
