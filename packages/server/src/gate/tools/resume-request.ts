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

/** No answer is held longer, whatever it waits for. */
const LONGEST_TOTAL_WAIT_MS = 50_000;
/** For the server of a tool, also of a call that was held long. */
const LEAST_WAIT_MS = 5000;
/** Whoever was held longer is looked at again before being told anything. */
const PROMPT_MS = 1000;

export interface Patience {
  /** How long to wait for people, at most `LONGEST_TOTAL_WAIT_MS`; 0, when left out: not at all. */
  waitMs?: number;
  /** How long to wait altogether, for people and for the tool; `LONGEST_TOTAL_WAIT_MS` at most, and when left out. */
  totalWaitMs?: number;
  /** Aborts when whoever asked is gone. */
  hungUp?: AbortSignal;
  /** For a tool to reach whoever asked while it runs. */
  line?: CallerLine | undefined;
}

/**
 * Comes back to a call: runs it once it is approved, or tells what became of it. Any number may come back at once: one
 * run, and the same answer for all.
 *
 * @throws GateError `not_found` for anybody but the credential that asked or presented the permit, `intent_denied`,
 * `intent_expired`, `policy_violation`, `permit_invalid`, `conflict` for a tool that changed meanwhile,
 * `service_unavailable` while its server cannot be called: the approval is not used
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
 * Answers the caller that made the request, or came back to it. No caller waits longer than `LONGEST_TOTAL_WAIT_MS`.
 *
 * @param made What is known of a request that was made in this very call.
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
    // A call that was just made is answered as it is where it cannot be held: its id must not be lost.
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
    if (request.state === 'pending') throw toolAway('it went away in this moment.');
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
      // Somebody else who came back was quicker by a moment.
      const now = await getRequest(gate, current, requestId);
      if (now.state !== 'pending') return now;
      const { consumedAt, consumedBy } = await getIntent(gate, current, now.intentId);
      // That use was given back; or it was, and since then this request has another.
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

/** Its permit; a fresh one for whoever comes back late, as long as the intent's own time runs. */
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
