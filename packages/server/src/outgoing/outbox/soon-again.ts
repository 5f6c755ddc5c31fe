/** Runs work, never twice at the same time. However often it is requested during a run, one more run follows. */
export class SoonAgain {
  readonly #work: () => Promise<unknown>;
  #running: Promise<void> | undefined;
  #again = false;

  /** @param work Must report its own failures. */
  constructor(work: () => Promise<unknown>) {
    this.#work = work;
  }

  soon(): void {
    this.#again = true;
    this.#running ??= this.#run();
  }

  /** Resolves when nothing is running. */
  async idle(): Promise<void> {
    await this.#running;
  }

  async #run(): Promise<void> {
    while (this.#again) {
      this.#again = false;
      await this.#work();
    }
    this.#running = undefined;
  }
}
