import { repeatedly } from '../gate/kernel/repeatedly.ts';
import type { SigningKeys } from './signing-keys.ts';

const EVERY_MS = 500;
/** So often all of them are read, whether anything says that they changed or not: once in a minute. */
const ALL_EVERY = 120;

/**
 * Lets a gate take up what the others, or the command line, did to the keys in their database. It looks twice a second,
 * and at once when it is told that there is something to look at. Now and then it reads all keys: one that somebody put
 * there, who has no key-encryption key, is never believed, and is to be known of before a gate that starts refuses for it.
 */
export class KeyTableWatch {
  readonly #signer: Pick<SigningKeys, 'refresh' | 'reload'>;
  readonly #onError: (error: unknown) => void;
  readonly #onChange: () => Promise<void>;
  #stop = async (): Promise<void> => {};
  #failing = false;
  #polls = 0;

  constructor(
    signer: Pick<SigningKeys, 'refresh' | 'reload'>,
    /** `change`: run after each look. */
    on: { error: (error: unknown) => void; change: () => Promise<void> },
  ) {
    this.#signer = signer;
    this.#onError = on.error;
    this.#onChange = on.change;
  }

  start(): void {
    this.#stop = repeatedly(EVERY_MS, () => this.poll(), this.#onError);
  }

  async poll(): Promise<void> {
    try {
      this.#polls += 1;
      if (this.#polls % ALL_EVERY === 0) await this.#signer.reload();
      else await this.#signer.refresh();
      await this.#onChange();
      this.#failing = false;
    } catch (error) {
      // Said once: a database that is away is away for many looks.
      if (!this.#failing) this.#onError(error);
      this.#failing = true;
    }
  }

  stop(): Promise<void> {
    return this.#stop();
  }
}
