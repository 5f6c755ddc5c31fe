/**
 * Runs `work` again and again, `everyMs` milliseconds after it last ended, until told to stop. So never two runs at a
 * time; one that fails is reported, and the next one comes all the same.
 *
 * @param firstAfterMs Until the first run; as long as between any two unless told.
 * @returns Stops; resolves when the run under way has ended.
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
 * For work that is done several times a second: of failures in a row only the first is reported.
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
