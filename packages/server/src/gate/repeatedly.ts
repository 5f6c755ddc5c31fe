/**
 * Runs `work` every `everyMs` milliseconds, one run at a time, until told to stop. A run that fails is reported, and
 * the next one comes all the same.
 *
 * @returns Stops; resolves when the run under way has ended.
 * @example const stop = repeatedly(1000, () => expireAllDue(gate), onError); … await stop();
 */
export function repeatedly(
  everyMs: number,
  work: () => Promise<unknown>,
  onError: (error: unknown) => void,
): () => Promise<void> {
  let running: Promise<void> | undefined;
  async function run(): Promise<void> {
    try {
      await work();
    } catch (error) {
      onError(error);
    }
    running = undefined;
  }
  const timer = setInterval(() => {
    running ??= run();
  }, everyMs);
  timer.unref();
  return async () => {
    clearInterval(timer);
    await running;
  };
}
