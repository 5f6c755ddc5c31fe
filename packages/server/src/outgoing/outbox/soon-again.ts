/** Runs work once at a time. If it is requested during a run, it runs once more afterwards. */
export class SoonAgain {
  readonly #work: () => Promise<unknown>;
  #running: Promise<void> | undefined;
  #again = false;

  /** @param work Reports its own failures. */
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
