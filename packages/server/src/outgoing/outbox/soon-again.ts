/** Work of which one run is under way at a time. Asked for meanwhile, it runs once more after that. */
export class SoonAgain {
  readonly #work: () => Promise<unknown>;
  #running: Promise<void> | undefined;
  #again = false;

  /** @param work reports its own failures */
  constructor(work: () => Promise<unknown>) {
    this.#work = work;
  }

  soon(): void {
    this.#again = true;
    this.#running ??= this.#run();
  }

  /** Resolves when no run is under way. */
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
