/**
 * Owns the steps of a call that the gate decides about. `Permitry.protect` takes them all in one function. The command
 * line takes them one by one, because its calls continue in another request or another program.
 */
import type { JsonObject } from '@permitry/protocol';
import type { CallOptions } from '../calls/call-options.ts';
import { assertAnswer } from '../calls/http-client.ts';
import { repeatUnderKey } from '../calls/repeat-under-key.ts';
import { DeniedError } from '../errors/denied-error.ts';
import { PermitryError } from '../errors/permitry-error.ts';
import { WaitTimeoutError } from '../errors/wait-timeout-error.ts';
import type { Intents } from '../intents/intents.ts';
import type { Permits } from '../permits/permits.ts';
import type { CreateIntent, Intent, ReportOutcome } from '../wire/intent.ts';
import type { UsedPermit } from '../wire/permit.ts';
import type { ProtectOptions } from './protect-options.ts';

/** The part of a client that the steps use. */
export interface GateClient {
  readonly intents: Intents;
  readonly permits: Permits;
}

/** Options of a step that has its own idempotency key and that nobody may abort. */
export type StepOptions = Pick<CallOptions, 'timeoutMs'>;

/**
 * The intent: approved or pending. Retries under the same key after a lost answer.
 *
 * @throws DeniedError if policy denies
 */
export async function declare(
  client: GateClient,
  input: CreateIntent<JsonObject, object>,
  { signal, timeoutMs, idempotencyKey: given }: CallOptions = {},
): Promise<Intent> {
  try {
    return await repeatUnderKey(
      (idempotencyKey) => client.intents.create(input, { signal, timeoutMs, idempotencyKey }),
      { idempotencyKey: given, signal },
    );
  } catch (error) {
    throw await toDenial(client, error, { signal, timeoutMs });
  }
}

/**
 * Returns a `DeniedError` with the recorded intent if the policy denied the request. Returns any other error unchanged.
 */
async function toDenial(client: GateClient, error: unknown, call: CallOptions): Promise<unknown> {
  if (!(error instanceof PermitryError) || error.code !== 'policy_violation') return error;
  const { intent_id: id, rule } = error.body;
  if (typeof id !== 'string') return error;
  try {
    const intent = await client.intents.get(id, call);
    return new DeniedError(intent, { cause: error, ...(typeof rule === 'string' ? { rule } : {}) });
  } catch {
    // The recorded intent could not be read, but the gate's refusal says enough.
    return error;
  }
}

/**
 * Waits for the decision about an intent.
 *
 * @throws DeniedError when it was denied or nobody decided, WaitTimeoutError; the error of `onPending`, the signal's
 * reason. All of these except `DeniedError` withdraw the intent, if `onGivingUp` says so.
 */
export async function untilApproved(
  client: GateClient,
  declared: Intent,
  { waitMs, onPending, onGivingUp = 'withdraw' }: Pick<ProtectOptions, 'waitMs' | 'onPending' | 'onGivingUp'>,
  call: StepOptions & Pick<CallOptions, 'signal'> = {},
): Promise<Intent> {
  let intent = declared;
  if (intent.status === 'pending') {
    try {
      tellPending(intent, onPending);
      intent = await client.intents.wait(intent.id, { ...call, waitMs });
    } catch (error) {
      const isGivenUp =
        error instanceof WaitTimeoutError || error instanceof ListenerError || call.signal?.aborted === true;
      if (isGivenUp && onGivingUp === 'withdraw')
        await giveUp(client, intent.id, { timeoutMs: call.timeoutMs });
      throw error instanceof ListenerError ? error.cause : error;
    }
  }
  if (intent.status !== 'approved') throw new DeniedError(intent);
  return intent;
}

/** The listener that should notify people failed. Nobody will learn of the request, so the call stops waiting. */
class ListenerError extends Error {}

function tellPending(intent: Intent, onPending: ((intent: Intent) => void) | undefined): void {
  try {
    onPending?.(intent);
  } catch (cause) {
    throw new ListenerError('onPending failed', { cause });
  }
}

/** Withdraws a request that nobody waits for. If it was decided at the same moment, nothing runs either way. */
export async function giveUp(client: GateClient, id: string, options?: StepOptions): Promise<void> {
  await client.intents.withdraw(id, options).catch(() => {});
}

/**
 * The single use of an approval, before anything runs. Retries under the same key after a lost answer, and replaces an
 * expired permit once.
 *
 * @throws PermitryError, ConnectionError: nothing may run
 */
export async function usePermit(
  client: GateClient,
  approved: Intent,
  params: JsonObject,
  options?: StepOptions,
): Promise<UsedPermit> {
  const { id, action } = approved;
  const token = approved.permit?.token ?? (await freshToken(client, id, options));
  try {
    return await consume(client, id, { token, action, params }, options);
  } catch (error) {
    if (!(error instanceof PermitryError) || error.reason !== 'expired') throw error;
    return consume(client, id, { token: await freshToken(client, id, options), action, params }, options);
  }
}

function consume(
  client: GateClient,
  id: string,
  permit: { token: string; action: string; params: JsonObject },
  options: StepOptions | undefined,
): Promise<UsedPermit> {
  // Never uses the caller's own key: a second process with the same key would get this use, and run as well.
  return repeatUnderKey(async (idempotencyKey) => {
    const used = await client.permits.consume(permit, { ...options, idempotencyKey });
    // Answers can be mixed up in transit. The use of another call does not permit this call.
    assertAnswer(used.intent_id === id, idempotencyKey);
    return used;
  });
}

async function freshToken(client: GateClient, id: string, options: StepOptions | undefined): Promise<string> {
  const { permit } = await repeatUnderKey((idempotencyKey) =>
    client.intents.freshPermit(id, { ...options, idempotencyKey }),
  );
  if (permit?.token === undefined) {
    throw new PermitryError(
      `The gate gives this credential no permit of ${id}; only the requester gets one.`,
      {
        code: 'forbidden',
        status: 403,
      },
    );
  }
  return permit.token;
}

/** Reports how the run ended. Retries under the same key after a lost answer. */
export async function reportOutcome(
  client: GateClient,
  id: string,
  outcome: ReportOutcome,
  options?: StepOptions,
): Promise<void> {
  await repeatUnderKey((idempotencyKey) =>
    client.intents.reportOutcome(id, outcome, { ...options, idempotencyKey }),
  );
}
