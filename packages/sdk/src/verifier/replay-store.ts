/**
 * Remembers which approvals were used, for `verifier.consume`. All executors that may receive the same permit must
 * share one store. It must let only one of two simultaneous callers win.
 *
 * @example
 * // Redis: NX lets one of any number of callers win.
 * const replayStore: ReplayStore = {
 *   claim: async (key, keepUntil) =>
 *     (await redis.set(`permit:${key}`, '1', { NX: true, PXAT: keepUntil.getTime() })) === 'OK',
 * };
 */
export interface ReplayStore {
  /**
   * Claims the key if nobody has it: true for the first caller, false for all later ones, until `keepUntil` at least.
   * `consume` rethrows its errors, and the action does not run.
   */
  claim(key: string, keepUntil: Date): boolean | Promise<boolean>;
}

const DEFAULT_ENTRIES = 100_000;

/**
 * A replay store in this process's memory, for tests and for a single executor that is never started twice. It forgets
 * everything when the process ends, and no other process shares it. After a restart, or in a second process, a permit
 * that is still valid can be used again. If you cannot accept that, consume at the gate.
 *
 * @param options.maxEntries Uses to remember, default 100 000. When it is full of uses that it must still remember, it
 * throws instead of forgetting one.
 * @example const verifier = createVerifier({ issuer, audience, replayStore: createMemoryReplayStore() });
 */
export function createMemoryReplayStore(options: { maxEntries?: number } = {}): ReplayStore {
  const { maxEntries = DEFAULT_ENTRIES } = options;
  const keptUntil = new Map<string, number>();
  return {
    claim(key, keepUntil) {
      const now = Date.now();
      if ((keptUntil.get(key) ?? 0) > now) return false;
      if (keptUntil.size >= maxEntries) forgetEnded(keptUntil, now);
      if (keptUntil.size >= maxEntries)
        throw new Error(
          `The replay store is full: it remembers ${maxEntries} uses, and none of them may be forgotten yet.`,
        );
      keptUntil.set(key, keepUntil.getTime());
      return true;
    },
  };
}

function forgetEnded(keptUntil: Map<string, number>, now: number): void {
  for (const [key, until] of keptUntil) if (until <= now) keptUntil.delete(key);
}
