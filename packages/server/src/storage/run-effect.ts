/**
 * The change is durable whatever its effect does, and the effects of others must run. So a failing effect is only
 * reported.
 */
export function runEffect(effect: () => void): void {
  try {
    effect();
  } catch (error) {
    process.emitWarning(error instanceof Error ? error : String(error));
  }
}
