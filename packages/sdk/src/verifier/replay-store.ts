/**
 * Remembers which approvals were used, for `verifier.consume`. All executors that may be given the same permit must share
 * one store, and it must decide between two that come at the same moment.
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
   * Takes the key if nobody has it: true for the first caller, false for everybody after, until `keepUntil` at least. What
   * it throws is thrown by `consume`: the action is not run.
   */
  claim(key: string, keepUntil: Date): boolean | Promise<boolean>;
}

const DEFAULT_ENTRIES = 100_000;

/**
 * A replay store in this process's memory, for tests and for a single executor that is never started twice. It forgets all
 * when the process ends and is shared with nobody: after a restart, or in a second process, a permit that still runs can be
 * used again. Whoever cannot bear that consumes at the gate.
 *
 * @param options.maxEntries Uses it remembers, 100 000 when left out. When it is full of uses that must still be remembered
 * it throws, rather than to forget one.
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
        throw new Error(`The replay store is full: it remembers ${maxEntries} uses and may forget none yet.`);
      keptUntil.set(key, keepUntil.getTime());
      return true;
    },
  };
}

function forgetEnded(keptUntil: Map<string, number>, now: number): void {
  for (const [key, until] of keptUntil) if (until <= now) keptUntil.delete(key);
}
