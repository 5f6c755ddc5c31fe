const KEPT = 1000;

/** Calls that may run and have not ended, by the name that their framework gave them. */
export class RunningCalls {
  readonly #ends = new Map<string, { resolve(): void; reject(error: Error): void }>();

  /** Resolves when the call succeeded, and rejects when it failed. Never settles if nobody reports its end. */
  ended(callId: string | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      if (callId === undefined) return;
      this.#ends.set(callId, { resolve, reject });
      if (this.#ends.size > KEPT) {
        const [oldest] = this.#ends.keys();
        if (oldest !== undefined) this.#ends.delete(oldest);
      }
    });
  }

  end(callId: string, outcome: 'succeeded' | 'failed'): void {
    const end = this.#ends.get(callId);
    this.#ends.delete(callId);
    if (outcome === 'succeeded') end?.resolve();
    else end?.reject(new Error('the tool failed'));
  }
}
