import type { CallOptions } from '../calls/call-options.ts';
import { DeniedError } from '../errors/denied-error.ts';
import { PermitryError } from '../errors/permitry-error.ts';
import type { Intents } from '../intents/intents.ts';

/**
 * When the policy denies, the error names the recorded intent: returns that intent as a denial. Returns any other error
 * unchanged.
 */
export async function toDenial(
  client: { readonly intents: Pick<Intents, 'get'> },
  error: unknown,
  call: CallOptions,
): Promise<unknown> {
  if (!(error instanceof PermitryError) || error.code !== 'policy_violation') return error;
  const { intent_id: id, rule } = error.body;
  if (typeof id !== 'string') return error;
  try {
    const intent = await client.intents.get(id, call);
    return new DeniedError(intent, { cause: error, ...(typeof rule === 'string' ? { rule } : {}) });
  } catch {
    // The gate's refusal already says it.
    return error;
  }
}
