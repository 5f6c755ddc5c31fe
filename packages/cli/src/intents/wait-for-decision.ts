import type { Intent, Permitry } from '@permitry/sdk';

/**
 * The intent after its decision, or its state when the wait is over.
 *
 * @param waitSeconds Undefined: until it is decided or expires.
 * @throws the signal's reason
 */
export async function waitForDecision(
  client: Permitry,
  intent: Intent,
  { waitSeconds, signal }: { waitSeconds?: number | undefined; signal?: AbortSignal | undefined },
): Promise<Intent> {
  if (intent.status !== 'pending' || waitSeconds === 0) return intent;
  const waitMs = waitSeconds === undefined ? undefined : waitSeconds * 1000;
  try {
    return await client.intents.wait(intent.id, { waitMs, signal });
  } catch (error) {
    const { WaitTimeoutError } = await import('@permitry/sdk');
    if (error instanceof WaitTimeoutError) return error.intent;
    throw error;
  }
}
