/** Owns a protected call from end to end: declare, wait, consume, run once, report. */
import type { JsonObject } from '@permitry/protocol';
import type { CallOptions } from '../calls/call-options.ts';
import { copyJson } from '../calls/copy-json.ts';
import { assertAnswer } from '../calls/http-client.ts';
import { atMost } from '../calls/pause.ts';
import { repeatUnderKey } from '../calls/repeat-under-key.ts';
import { DeniedError } from '../errors/denied-error.ts';
import { PermitryError } from '../errors/permitry-error.ts';
import { WaitTimeoutError } from '../errors/wait-timeout-error.ts';
import type { Intents } from '../intents/intents.ts';
import type { Permits } from '../permits/permits.ts';
import type { Intent, ReportOutcome } from '../wire/intent.ts';
import type { UsedPermit } from '../wire/permit.ts';
import type { ProtectOptions } from './protect-options.ts';
import type { Reports } from './reports.ts';
import { toDenial } from './to-denial.ts';

/** The part of a client that a protected call uses. */
export interface ProtectingClient {
  readonly intents: Intents;
  readonly permits: Permits;
  readonly reports: Reports;
}

/** One protected function. */
export interface ProtectedAction<P extends object, R> {
  action: string;
  run: (params: P, permit: UsedPermit) => Promise<R> | R;
  options: ProtectOptions<P, object>;
}

/** One call of it. See `Permitry.protect`. */
export async function callProtected<P extends object, R>(
  client: ProtectingClient,
  { action, run, options }: ProtectedAction<P, R>,
  given: P,
  call: CallOptions = {},
): Promise<R> {
  // The caller may change its object while people review the request. What runs is what was requested.
  const params = copyJson(given);
  const { signal, timeoutMs } = call;
  const each = { timeoutMs };
  const intent = await declare(client, { action, params, options }, call);
  const approved = await untilApproved(client, intent, options, { ...each, signal });
  // No abort from here on: a use must be answered for, and a run must be reported.
  signal?.throwIfAborted();
  const permit = await use(client, approved, params, each);
  // The action is done. Its result does not wait for the report, even if the gate is away.
  const tell = (outcome: ReportOutcome) =>
    client.reports.follow(report(client, approved.id, outcome, options, each));
  if (signal?.aborted) {
    await atMost(LONGEST_WAIT_MS, tell({ outcome: 'failed', detail: GIVEN_UP }));
    throw signal.reason;
  }
  let result: R;
  try {
    result = await run(params as P, permit);
  } catch (error) {
    // Many programs end by an uncaught error, which would lose a report in transit.
    await atMost(LONGEST_WAIT_MS, tell(failure(error, options)));
    throw error;
  }
  tell({ outcome: 'succeeded' });
  return result;
}

/** How long to hold an error until its report arrives. */
const LONGEST_WAIT_MS = 1000;

const GIVEN_UP =
  'The caller gave up after the permit was used and before the action was begun; it was not run.';

/** The intent: approved, denied or pending. Retries under the same key after a lost answer. */
async function declare<P extends object>(
  client: ProtectingClient,
  { action, params, options }: { action: string; params: JsonObject; options: ProtectOptions<P, object> },
  { signal, timeoutMs, idempotencyKey: given }: CallOptions,
): Promise<Intent> {
  // A separate copy, because the caller could change its own object between the approval and the run.
  const details =
    typeof options.intent === 'function' ? options.intent(copyJson(params) as P) : options.intent;
  const input = { ...details, action, params };
  try {
    return await repeatUnderKey(
      (idempotencyKey) => client.intents.create(input, { signal, timeoutMs, idempotencyKey }),
      { idempotencyKey: given, signal },
    );
  } catch (error) {
    throw await toDenial(client, error, { signal, timeoutMs });
  }
}

async function untilApproved<P extends object>(
  client: ProtectingClient,
  created: Intent,
  { waitMs, onPending, onGivingUp = 'withdraw' }: ProtectOptions<P, object>,
  call: CallOptions,
): Promise<Intent> {
  let intent = created;
  if (intent.status === 'pending') {
    try {
      tellPending(intent, onPending);
      intent = await client.intents.wait(intent.id, { ...call, waitMs });
    } catch (error) {
      const isGivenUp =
        error instanceof WaitTimeoutError || error instanceof ListenerError || call.signal?.aborted === true;
      if (isGivenUp && onGivingUp === 'withdraw') await withdraw(client, intent.id, call.timeoutMs);
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

/** If somebody decides at this very moment, the withdrawal loses, and nothing runs either way. */
async function withdraw(client: ProtectingClient, id: string, timeoutMs: number | undefined): Promise<void> {
  await client.intents.withdraw(id, { timeoutMs }).catch(() => {});
}

/** The single use. Retries under the same key after a lost answer, and replaces an expired permit once. */
async function use(
  client: ProtectingClient,
  approved: Intent,
  params: JsonObject,
  call: CallOptions,
): Promise<UsedPermit> {
  const { id, action } = approved;
  const token = approved.permit?.token ?? (await freshToken(client, id, call));
  try {
    return await consume(client, id, { token, action, params }, call);
  } catch (error) {
    if (!(error instanceof PermitryError) || error.reason !== 'expired') throw error;
    return consume(client, id, { token: await freshToken(client, id, call), action, params }, call);
  }
}

function consume(
  client: ProtectingClient,
  id: string,
  permit: { token: string; action: string; params: JsonObject },
  call: CallOptions,
): Promise<UsedPermit> {
  // Never the caller's own key: a second process with the same key would get this use, and run as well.
  return repeatUnderKey(async (idempotencyKey) => {
    const used = await client.permits.consume(permit, { ...call, idempotencyKey });
    // Answers can be mixed up in transit. Another call's use does not permit this one.
    assertAnswer(used.intent_id === id, idempotencyKey);
    return used;
  });
}

async function freshToken(client: ProtectingClient, id: string, call: CallOptions): Promise<string> {
  const { permit } = await repeatUnderKey((idempotencyKey) =>
    client.intents.freshPermit(id, { ...call, idempotencyKey }),
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

/** Never rejects, because the action has already run. */
async function report<P extends object>(
  client: ProtectingClient,
  id: string,
  outcome: ReportOutcome,
  { onUnreported }: ProtectOptions<P, object>,
  call: CallOptions,
): Promise<void> {
  try {
    await repeatUnderKey((idempotencyKey) =>
      client.intents.reportOutcome(id, outcome, { ...call, idempotencyKey }),
    );
  } catch (error) {
    try {
      onUnreported?.(error);
    } catch {
      // Nobody awaits this, and a listener that throws must not end the program.
    }
  }
}

const LONGEST_DETAIL = 2000;

function failure<P extends object>(
  error: unknown,
  { describeFailure }: ProtectOptions<P, object>,
): ReportOutcome {
  if (describeFailure === undefined) return { outcome: 'failed' };
  try {
    return { outcome: 'failed', detail: String(describeFailure(error)).slice(0, LONGEST_DETAIL) };
  } catch {
    // Throw the action's own error, not the error of describing it.
    return { outcome: 'failed' };
  }
}
