import type { JsonObject, Outcome } from '@permitry/protocol';
import type { Actor } from '../access/caller.ts';
import type { AuditWriter } from '../audit/audit-event.ts';
import { recordEvent } from '../audit/record-event.ts';
import type { IntentWriter } from '../intents/intent.ts';
import type { AfterCommit } from '../kernel/storage.ts';
import type { ConnectorRequest, ConnectorRequestWriter, ConnectorSettlement } from './connector-request.ts';
import type { CallerLine, Tool, ToolCall, ToolResult } from './connectors.ts';
import { type ApprovalUse, asReleased, giveUseBack } from './give-use-back.ts';
import type { ToolDeps } from './tool-deps.ts';

const MOST_RESULT_BYTES = 1024 * 1024;
/** Equals the maximum length of an outcome's detail. */
const MOST_MESSAGE_LENGTH = 2000;
/** Pauses between attempts to write the result of a run. */
const SETTLE_PAUSES_MS = [100, 500, 2000, 5000, 10_000, 20_000, 30_000];

/** The intent's outcome for each final state of its request. */
export const OUTCOME_OF: Record<ConnectorSettlement['state'], Outcome> = {
  executed: 'succeeded',
  failed: 'failed',
  unknown: 'unknown',
};

export interface StartedRun {
  tool: Tool;
  arguments: JsonObject;
  actor: Actor;
  line: CallerLine | undefined;
  /**
   * The use to undo if nothing was sent. Omitted if policy allowed the call, because policy would allow a new call too.
   */
  use?: ApprovalUse | undefined;
}

/** Runs a claimed request once, in the background. The run continues when its caller stops waiting. */
export function startRun(
  gate: ToolDeps,
  request: ConnectorRequest,
  { tool, arguments: given, actor, line, use }: StartedRun,
): void {
  const { id: requestId, projectId, intentId } = request;
  gate.tools.runs.start(requestId, async (signal) => {
    const result = await runOnce(gate, {
      projectId,
      intentId,
      requestId,
      tool,
      arguments: given,
      signal,
      line,
    });
    const settle = () => settleRun(gate, request, toSettlement(gate, result), actor);
    if (result.kind !== 'not_sent' || !use) return settle();
    return giveBackOr(gate, request, { use, reason: result.message, actor }, settle);
  });
}

/** Undoes the use. If that is impossible, for instance because its approval was revoked, the run has failed. */
async function giveBackOr(
  gate: ToolDeps,
  request: ConnectorRequest,
  given: { use: ApprovalUse; reason: string; actor: Actor },
  settle: () => Promise<ConnectorRequest | undefined>,
): Promise<ConnectorRequest | undefined> {
  let isCertain = true;
  const isGivenBack = await insist(async () => {
    try {
      return await giveUseBack(gate, request, given);
    } catch (error) {
      isCertain = false;
      throw error;
    }
  });
  if (isGivenBack) return asReleased(request);
  // An attempt whose answer was lost may have undone the use. So the current state may belong to the next use.
  return isCertain ? settle() : gate.storage.read.findConnectorRequest(request.id);
}

async function runOnce(gate: Pick<ToolDeps, 'clock' | 'tools'>, call: ToolCall): Promise<ToolResult> {
  const aborted = Promise.withResolvers<ToolResult>();
  const stop = () =>
    // Waits a moment: a connector that obeys the signal has a more exact answer.
    setTimeout(() => aborted.resolve({ kind: 'unknown', message: STOPPED }), 250).unref();
  call.signal.addEventListener('abort', stop, { once: true });
  if (call.signal.aborted) stop();
  try {
    return await Promise.race([gate.tools.connectors.run(call), aborted.promise]);
  } catch {
    // Connectors must not throw, so the effect of the call is unknown. The error may contain anything, so it is not
    // shown.
    return { kind: 'unknown', message: 'The connector failed while the tool was running.' };
  } finally {
    call.signal.removeEventListener('abort', stop);
  }
}

const STOPPED = 'The run was aborted before the tool answered; it is not known whether the tool did it.';

export function toSettlement(gate: Pick<ToolDeps, 'clock'>, outcome: ToolResult): ConnectorSettlement {
  const at = gate.clock.now();
  if (outcome.kind === 'unknown') {
    return { state: 'unknown', result: null, message: cut(outcome.message), at };
  }
  if (outcome.kind === 'not_sent') {
    return { state: 'failed', result: null, message: cut(outcome.message), at };
  }
  const state = outcome.kind === 'succeeded' ? 'executed' : 'failed';
  const message = outcome.kind === 'failed' ? cut(outcome.message) : null;
  const { result } = outcome;
  if (result === null) return { state, result, message, at };
  // A result that is too large or not JSON does not change the effect of the call. So only the result is dropped.
  const bytes = bytesOf(result);
  if (bytes <= MOST_RESULT_BYTES) return { state, result, message, at };
  return { state, result: null, message: message ?? TOO_LARGE, at };
}

const TOO_LARGE =
  'The tool did it, but its result could not be stored: it is larger than 1 MiB, or is not JSON.';

function bytesOf(result: JsonObject): number {
  try {
    return Buffer.byteLength(JSON.stringify(result));
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

/** Shortens the message, and replaces characters that some database cannot store. */
function cut(message: string): string {
  return message.slice(0, MOST_MESSAGE_LENGTH).replaceAll('\u0000', '\uFFFD').toWellFormed();
}

/** Writes the result of a run. Retries for a while, because the gate cannot find out the result a second time. */
async function settleRun(
  gate: ToolDeps,
  request: ConnectorRequest,
  settlement: ConnectorSettlement,
  actor: Actor,
): Promise<ConnectorRequest | undefined> {
  return insist(async () => {
    const isOurs = await gate.storage.transaction(
      (tx) => settleRequest(gate, tx, request, settlement, actor),
      { guarded: true },
    );
    if (!isOurs) return gate.storage.read.findConnectorRequest(request.id);
    gate.tools.runs.count(settlement.state);
    return asSettled(request, settlement);
  });
}

async function insist<T>(write: () => Promise<T>): Promise<T> {
  for (const pauseMs of SETTLE_PAUSES_MS) {
    try {
      return await write();
    } catch {
      await new Promise((resolve) => setTimeout(resolve, pauseMs).unref());
    }
  }
  return write();
}

/**
 * Settles the request, its intent's outcome and the event together. Does not check the credential: a revocation does
 * not undo the run. Returns false if the request was settled already.
 */
export async function settleRequest(
  gate: Pick<ToolDeps, 'ids' | 'ledger' | 'listeners'>,
  tx: AfterCommit & AuditWriter & ConnectorRequestWriter & IntentWriter,
  { id, projectId, intentId }: Pick<ConnectorRequest, 'id' | 'projectId' | 'intentId'>,
  settlement: ConnectorSettlement,
  actor: Actor,
): Promise<boolean> {
  const { state, at } = settlement;
  // Locks the intent first, as claiming and erasing do. Another order could deadlock.
  if (!(await tx.reportOutcome(intentId, id, OUTCOME_OF[state], at))) return false;
  if (!(await tx.settleConnectorRequest(id, settlement))) throw new Error(`${id} has an outcome and no end`);
  await recordRunOutcome(gate, tx, { id, projectId, intentId }, settlement, actor);
  tx.afterCommit(() => gate.listeners.wakeups.wake(id));
  return true;
}

export async function recordRunOutcome(
  gate: Pick<ToolDeps, 'ids' | 'ledger'>,
  tx: AfterCommit & AuditWriter,
  { id, projectId, intentId }: Pick<ConnectorRequest, 'id' | 'projectId' | 'intentId'>,
  { state, message, at }: ConnectorSettlement,
  actor: Actor,
): Promise<void> {
  await recordEvent(gate, tx, {
    projectId,
    type: 'outcome.reported',
    occurredAt: at,
    actor,
    intentId,
    data: { outcome: OUTCOME_OF[state], detail: message, connector_request_id: id },
    personal: message === null ? [] : ['/data/detail'],
  });
}

/** The request after its settlement. */
export function asSettled(
  request: ConnectorRequest,
  { at: settledAt, ...settled }: ConnectorSettlement,
): ConnectorRequest {
  return { ...request, ...settled, settledAt, leasedBy: null, leasedUntil: null };
}
