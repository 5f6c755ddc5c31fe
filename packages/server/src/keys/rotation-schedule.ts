import { repeatedly } from '../gate/kernel/repeatedly.ts';
import type { SigningKeys } from './signing-keys.ts';

const EVERY_MS = 60_000;

/** Lets a running server replace its active key once it has signed for so many days. */
export class RotationSchedule {
  readonly #signer: Pick<SigningKeys, 'rotateIfDue'>;
  readonly #days: number;
  readonly #onRotated: (kid: string) => Promise<void>;
  readonly #onError: (error: unknown) => void;
  #stop = async (): Promise<void> => {};

  constructor(
    signer: Pick<SigningKeys, 'rotateIfDue'>,
    /** 0: never. */
    days: number,
    on: { rotated: (kid: string) => Promise<void>; error: (error: unknown) => void },
  ) {
    this.#signer = signer;
    this.#days = days;
    this.#onRotated = on.rotated;
    this.#onError = on.error;
  }

  start(): void {
    if (this.#days === 0) return;
    this.#stop = repeatedly(EVERY_MS, () => this.poll(), this.#onError, { firstAfterMs: 0 });
  }

  /** A rotation that fails leaves the active key signing, and is tried again. */
  async poll(): Promise<void> {
    try {
      const kid = await this.#signer.rotateIfDue(this.#days);
      if (kid !== undefined) await this.#onRotated(kid);
    } catch (error) {
      this.#onError(error);
    }
  }

  stop(): Promise<void> {
    return this.#stop();
  }
}
