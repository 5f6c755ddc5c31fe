/**
 * Runs an effect of a committed change. A failing effect is only reported: the change is durable, and other effects
 * must still run.
 */
export function runEffect(effect: () => void): void {
  try {
    effect();
  } catch (error) {
    process.emitWarning(error instanceof Error ? error : String(error));
  }
}
