/** Owns a protected call from end to end: declare, wait, consume, run once, report. */
import type { CallOptions } from '../calls/call-options.ts';
import { copyJson } from '../calls/copy-json.ts';
import { atMost } from '../calls/pause.ts';
import type { ReportOutcome } from '../wire/intent.ts';
import type { UsedPermit } from '../wire/permit.ts';
import type { ProtectOptions } from './protect-options.ts';
import type { Reports } from './reports.ts';
import {
  declare,
  type GateClient,
  reportOutcome,
  type StepOptions,
  untilApproved,
  usePermit,
} from './steps.ts';

/** The part of a client that a protected call uses. */
export interface ProtectingClient extends GateClient {
  readonly reports: Reports;
}

/** One protected function. */
export interface ProtectedAction<P extends object, R> {
  action: string;
  run: (params: P, permit: UsedPermit) => Promise<R> | R;
  options: ProtectOptions<P, object>;
}

/** One call of a protected function. See `Permitry.protect`. */
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
  // A separate copy, because the caller could change its own object between the approval and the run.
  const details =
    typeof options.intent === 'function' ? options.intent(copyJson(params) as P) : options.intent;
  const intent = await declare(client, { ...details, action, params }, call);
  const approved = await untilApproved(client, intent, options, { ...each, signal });
  // From here on nothing is aborted: the answer about the use must arrive, and a run must be reported.
  signal?.throwIfAborted();
  const permit = await usePermit(client, approved, params, each);
  // The action is done. Its result does not wait for the report, even if the gate is unavailable.
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

/** Never rejects, because the action has already run. */
async function report<P extends object>(
  client: ProtectingClient,
  id: string,
  outcome: ReportOutcome,
  { onUnreported }: ProtectOptions<P, object>,
  each: StepOptions,
): Promise<void> {
  try {
    await reportOutcome(client, id, outcome, each);
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
