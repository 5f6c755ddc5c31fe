import type { Wakeups } from '../gate/intents/listeners.ts';
import { ALONE, type Bus } from '../gate/kernel/bus.ts';

type Release = (woken: boolean) => void;

/**
 * The waiters for intents at this gate, in memory. Each waiter costs one timer. It is released by a wake-up, its time
 * limit, its signal, or when the gate closes.
 */
export class WaitingRoom implements Wakeups {
  readonly #bus: Bus;
  readonly #waiters = new Map<string, Set<Release>>();
  #waiting = 0;
  #closed = false;

  constructor(bus: Bus = ALONE) {
    this.#bus = bus;
  }

  get waiting(): number {
    return this.#waiting;
  }

  /** The intents that have waiters here. */
  get intentIds(): readonly string[] {
    return [...this.#waiters.keys()];
  }

  isWaitedFor(intentId: string): boolean {
    return this.#waiters.has(intentId);
  }

  wake(intentId: string): void {
    this.wakeHere(intentId);
    this.#bus.tell('resolved', intentId);
  }

  /** Wakes the waiters of an intent that another gate resolved and already announced. */
  wakeHere(intentId: string): void {
    for (const release of [...(this.#waiters.get(intentId) ?? [])]) release(true);
  }

  listen(intentId: string, timeoutMs: number, signal?: AbortSignal): Promise<boolean> {
    if (this.#closed || timeoutMs <= 0 || signal?.aborted) return Promise.resolve(false);
    return new Promise((resolve) => {
      const release: Release = (woken) => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', leave);
        this.#remove(intentId, release);
        resolve(woken);
      };
      const leave = () => release(false);
      const timer = setTimeout(leave, timeoutMs);
      signal?.addEventListener('abort', leave, { once: true });
      this.#add(intentId, release);
    });
  }

  /** Releases all waiters with `false`. Later waiters are released without a wait. */
  close(): void {
    this.#closed = true;
    for (const releases of [...this.#waiters.values()]) {
      for (const release of [...releases]) release(false);
    }
  }

  #add(intentId: string, release: Release): void {
    const releases = this.#waiters.get(intentId);
    if (releases) releases.add(release);
    else this.#waiters.set(intentId, new Set([release]));
    this.#waiting += 1;
  }

  #remove(intentId: string, release: Release): void {
    const releases = this.#waiters.get(intentId);
    if (!releases?.delete(release)) return;
    this.#waiting -= 1;
    if (releases.size === 0) this.#waiters.delete(intentId);
  }
}
