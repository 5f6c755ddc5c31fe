/**
 * Runs `work` repeatedly, `everyMs` milliseconds after its last run ended, until stopped. So two runs never overlap.
 * Reports a run that fails, and continues.
 *
 * @param firstAfterMs Milliseconds until the first run. Default: `everyMs`.
 * @returns Stops it. Resolves when the current run has ended.
 * @example const stop = repeatedly(1000, () => expireAllDue(gate), onError); … await stop();
 */
export function repeatedly(
  everyMs: number,
  work: () => Promise<unknown>,
  onError: (error: unknown) => void,
  { firstAfterMs = everyMs }: { firstAfterMs?: number } = {},
): () => Promise<void> {
  let stopped = false;
  let running: Promise<void> | undefined;
  let timer = after(firstAfterMs);

  function after(ms: number): NodeJS.Timeout {
    return setTimeout(() => {
      running = run();
    }, ms).unref();
  }
  async function run(): Promise<void> {
    try {
      await work();
    } catch (error) {
      onError(error);
    }
    if (!stopped) timer = after(everyMs);
  }
  return async () => {
    stopped = true;
    clearTimeout(timer);
    await running;
  };
}

/**
 * For work that runs several times a second: reports only the first of consecutive failures.
 *
 * @example repeatedly(300, complainingOnce(() => look(), onError), onError);
 */
export function complainingOnce(
  work: () => Promise<unknown>,
  onError: (error: unknown) => void,
): () => Promise<void> {
  let failing = false;
  return async () => {
    try {
      await work();
      failing = false;
    } catch (error) {
      if (!failing) onError(error);
      failing = true;
    }
  };
}
