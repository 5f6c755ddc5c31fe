import type { CreateIntent, Intent, Permitry } from '@permitry/sdk';
import { waitForDecision } from './wait-for-decision.ts';

export interface AskOptions {
  /** 0: does not wait. */
  waitSeconds: number;
  signal?: AbortSignal;
  /** Called when the request needs a person's decision. */
  onPending: (intent: Intent) => void;
  idempotencyKey?: string;
}

/** Sends a request and waits for the decision, whatever it is. A denial by policy is a decision too. */
export async function askFor(client: Permitry, input: CreateIntent, options: AskOptions): Promise<Intent> {
  const { waitSeconds, signal, onPending, idempotencyKey } = options;
  const made = await create(client, input, idempotencyKey);
  if (made.status !== 'pending') return made;
  onPending(made);
  return waitForDecision(client, made, { waitSeconds, signal });
}

async function create(client: Permitry, input: CreateIntent, key: string | undefined): Promise<Intent> {
  try {
    return await client.intents.create(input, key === undefined ? {} : { idempotencyKey: key });
  } catch (error) {
    const { PermitryError } = await import('@permitry/sdk');
    const denied = error instanceof PermitryError && error.code === 'policy_violation';
    const id = denied ? error.body.intent_id : undefined;
    if (typeof id !== 'string') throw error;
    return client.intents.get(id);
  }
}
