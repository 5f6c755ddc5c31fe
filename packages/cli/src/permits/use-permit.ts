import type { JsonObject } from '@permitry/protocol';
import type { Intent, Permitry } from '@permitry/sdk';

/**
 * The one use of an approval, before anything runs. If the answer is lost, the call is repeated under the same key. A
 * permit that has expired is replaced.
 *
 * @throws PermitryError, ConnectionError: in either case, nothing may run
 */
export async function usePermit(gate: Permitry, intent: Intent, params: JsonObject): Promise<void> {
  const current = intent.permit?.token === undefined ? await gate.intents.freshPermit(intent.id) : intent;
  try {
    await consume(gate, current, params);
  } catch (error) {
    const { PermitryError } = await import('@permitry/sdk');
    if (!(error instanceof PermitryError) || error.reason !== 'expired') throw error;
    await consume(gate, await gate.intents.freshPermit(intent.id), params);
  }
}

async function consume(gate: Permitry, { action, permit }: Intent, params: JsonObject): Promise<unknown> {
  const { repeatUnderKey } = await import('@permitry/sdk');
  const token = permit?.token ?? '';
  return repeatUnderKey((idempotencyKey) =>
    gate.permits.consume({ token, action, params }, { idempotencyKey }),
  );
}
