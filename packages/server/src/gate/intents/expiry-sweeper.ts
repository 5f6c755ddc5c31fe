import type { Gate } from '../gate.ts';
import { expireAllDue } from './expire.ts';

const EVERY_MS = 1000;

/** Expires what nobody looks at, once a second: one small query while nothing is due. */
export class ExpirySweeper {
  readonly #gate: Gate;
  readonly #onError: (error: unknown) => void;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;

  constructor(gate: Gate, onError: (error: unknown) => void) {
    this.#gate = gate;
    this.#onError = onError;
  }

  start(): void {
    this.#timer ??= setInterval(() => {
      this.#running ??= this.#sweep().finally(() => {
        this.#running = undefined;
      });
    }, EVERY_MS);
  }

  /** Resolves when a sweep under way has ended. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#running;
  }

  async #sweep(): Promise<void> {
    try {
      await expireAllDue(this.#gate);
    } catch (error) {
      this.#onError(error);
    }
  }
}
