import { assertScope } from '../access/assert-scope.ts';
import { refreshCaller } from '../access/authenticate-key.ts';
import type { Caller } from '../access/caller.ts';
import { expired } from '../intents/decision-refusals.ts';
import { getIntent } from '../intents/find-intent.ts';
import type { Intent } from '../intents/intent.ts';
import type { IntentView } from '../intents/intent-view.ts';
import { waitUntilResolved } from '../intents/wait.ts';
import { GateError } from '../kernel/errors.ts';
import { redeemPermit } from '../permits/redeem.ts';
import { retryWhenStale, StaleReadError } from '../project-settings/stale-read.ts';
import { permitInvalid } from '../tokens/permit-refusal.ts';
import type { ConnectorRequest } from './connector-request.ts';
import type { CallerLine } from './connectors.ts';
import { getRequest } from './find-request.ts';
import type { GatewayAnswer } from './gateway-answer.ts';
import { getTool } from './get-tool.ts';
import { getProgram } from './program.ts';
import { deniedByPolicy, toAnswer } from './to-answer.ts';
import type { ToolDeps } from './tool-deps.ts';
import { type ApprovedCall, isUsedUp, LONGEST_WAIT_MS, toolAway, useApproval } from './use-approval.ts';
import { waitForRun } from './wait-for-run.ts';

/** The longest time that an answer is held, whatever the reason. */
const LONGEST_TOTAL_WAIT_MS = 50_000;
/** The least time left for the tool's server, even after the call was held for long. */
const LEAST_WAIT_MS = 5000;
/** A caller that waited longer is authenticated again before it gets an answer. */
const PROMPT_MS = 1000;

export interface Patience {
  /** How long to wait for a decision, at most `LONGEST_TOTAL_WAIT_MS`. Default: 0, no wait. */
  waitMs?: number;
  /** How long to wait for the decision and the tool together. Maximum and default: `LONGEST_TOTAL_WAIT_MS`. */
  totalWaitMs?: number;
  /** Aborts when the requester disconnects. */
  hungUp?: AbortSignal;
  /** Lets a tool reach the requester while it runs. */
  line?: CallerLine | undefined;
}

/**
 * Comes back to a call. Runs the call once it is approved, or returns its result. Many callers may come back together:
 * the call runs once, and all get the same answer.
 *
 * @throws GateError `not_found` for any credential that neither made the request nor presented the permit. Also
 * `intent_denied`, `intent_expired`, `policy_violation`, `permit_invalid` and `conflict` for a tool that changed
 * meanwhile. `service_unavailable` while the tool's server cannot be called: the approval is not used.
 */
export async function resumeRequest(
  gate: ToolDeps,
  caller: Caller,
  { requestId, ...patience }: { requestId: string } & Patience,
): Promise<GatewayAnswer> {
  const program = getProgram(caller);
  assertScope(program, 'intents:create', program.projectId);
  return answerRequest(gate, caller, await getRequest(gate, caller, requestId), patience);
}

/**
 * Answers the caller that made the request or came back to it. No caller waits longer than `LONGEST_TOTAL_WAIT_MS`.
 *
 * @param made What is known of the request if this same call created it.
 */
export async function answerRequest(
  gate: ToolDeps,
  caller: Caller,
  asked: ConnectorRequest,
  { waitMs = 0, totalWaitMs = LONGEST_TOTAL_WAIT_MS, hungUp, line }: Patience,
  made: { known?: IntentView | undefined; replayed: boolean } = { replayed: false },
): Promise<GatewayAnswer> {
  const since = performance.now();
  const longest = Math.min(totalWaitMs, LONGEST_TOTAL_WAIT_MS);
  let request = asked;
  let { known } = made;
  if (request.state === 'pending' && (waitMs > 0 || !known)) {
    known = undefined;
    const asks = { waitMs: Math.min(waitMs, longest), hungUp };
    const wait = (): Promise<void> => waitForPeople(gate, caller, asked, asks);
    // If a new call cannot be held, it is answered immediately, so that the caller gets the request's ID.
    if (waitMs > 0)
      await (made.known
        ? gate.tools.waitingCalls.tryWait(caller, wait)
        : gate.tools.waitingCalls.wait(caller, wait));
    const left = longest - (performance.now() - since);
    const readyBy = performance.now() + Math.min(Math.max(left, LEAST_WAIT_MS), LONGEST_WAIT_MS);
    const way = { line, readyBy };
    request = await gate.tools.runs.oneAtATime(asked.id, () => runWhenApproved(gate, caller, asked.id, way));
  }
  if (request.state === 'executing') {
    const ms = Math.max(0, longest - (performance.now() - since));
    const running = request;
    const wait = (): Promise<ConnectorRequest> => waitForRun(gate, running, { ms, hungUp });
    request = (await gate.tools.waitingCalls.tryWait(caller, wait)) ?? running;
    if (request.state === 'pending') throw toolAway('it has just become unavailable.');
  }
  const isLate = performance.now() - since > PROMPT_MS;
  const current = isLate ? await refreshCaller(gate, caller) : caller;
  return toAnswer(gate, current, request, { known, replayed: made.replayed });
}

async function waitForPeople(
  gate: ToolDeps,
  caller: Caller,
  { intentId }: ConnectorRequest,
  { waitMs, hungUp }: { waitMs: number; hungUp: AbortSignal | undefined },
): Promise<void> {
  await waitUntilResolved(gate, caller, intentId, waitMs / 1000, hungUp ?? new AbortController().signal);
}

type RunWay = Required<Pick<ApprovedCall, 'line' | 'readyBy'>>;

function runWhenApproved(
  gate: ToolDeps,
  caller: Caller,
  requestId: string,
  way: RunWay,
): Promise<ConnectorRequest> {
  return retryWhenStale(gate, caller, async (current) => {
    const request = await getRequest(gate, current, requestId);
    if (request.state !== 'pending') return request;
    const intent = await getIntent(gate, current, request.intentId);
    if (intent.status === 'pending') return request;
    try {
      return await runApproved(gate, current, { request, intent, ...way });
    } catch (error) {
      if (!isUsedUp(error)) throw error;
      // Another caller used the approval first.
      const now = await getRequest(gate, current, requestId);
      if (now.state !== 'pending') return now;
      const { consumedAt, consumedBy } = await getIntent(gate, current, now.intentId);
      // The use was undone, and this request may have a new use already. Start over.
      if (consumedAt === null || consumedBy === requestId) throw new StaleReadError();
      throw error;
    }
  });
}

async function runApproved(
  gate: ToolDeps,
  caller: Caller,
  { request, intent, ...way }: { request: ConnectorRequest; intent: Intent } & RunWay,
): Promise<ConnectorRequest> {
  assertApproved(intent);
  if (intent.consumedAt !== null) throw permitInvalid('already_used');
  const tool = await getTool(gate, request.projectId, request.toolName);
  return useApproval(gate, caller, {
    token: await findToken(gate, caller, intent),
    tool,
    arguments: intent.params,
    ...way,
  });
}

/**
 * Returns the token of the intent's permit. A caller that comes back late gets a fresh permit, unless the intent has
 * expired.
 */
async function findToken(gate: ToolDeps, caller: Caller, intent: Intent): Promise<string> {
  const { permit } = intent;
  const isOver = permit !== null && permit.expiresAt <= gate.clock.now() && intent.revokedAt === null;
  const current = isOver ? (await redeemPermit(gate, caller, intent.id)).permit : permit;
  if (!current) throw permitInvalid('revoked');
  return current.token;
}

function assertApproved(intent: Intent): void {
  if (intent.status === 'expired') throw expired(intent);
  if (intent.status !== 'denied') return;
  if (intent.decision === 'auto_deny') throw deniedByPolicy(intent);
  const isWithdrawn = intent.reason === 'withdrawn';
  const because = intent.reason === null || isWithdrawn ? '' : ` Reason: ${intent.reason}`;
  throw new GateError(
    'intent_denied',
    `${isWithdrawn ? 'This call was withdrawn' : 'This call was denied'}; nothing was run.${because}`,
    { reason: intent.reason, intent_id: intent.id },
  );
}
