import type { JsonObject } from '@permitry/protocol';
import { type Caller, toActor } from '../access/caller.ts';
import type { Intent } from '../intents/intent.ts';
import { findIntentAgent, higherTier } from '../intents/policy-request.ts';
import { GateError } from '../kernel/errors.ts';
import type { IdempotencyWriter } from '../kernel/idempotency.ts';
import { assertUsable } from '../permits/assert-usable.ts';
import { type CheckedPermit, checkPermit, usePermit } from '../permits/verify.ts';
import { StaleReadError } from '../project-settings/stale-read.ts';
import type { ConnectorClaim, ConnectorRequest } from './connector-request.ts';
import type { CallerLine, Tool } from './connectors.ts';
import { getTool } from './get-tool.ts';
import { asSettled, settleRequest, startRun, toSettlement } from './run-tool.ts';
import type { ToolDeps } from './tool-deps.ts';
import { toolHash } from './tool-hash.ts';

export interface ApprovedCall {
  token: string;
  tool: Tool;
  arguments: JsonObject;
  line?: CallerLine | undefined;
  /** Until when to wait for the tool's server. A time of `performance.now()`. */
  readyBy?: number;
}

/**
 * Uses an approval to run a tool with exactly these arguments. The permit's use and the request's claim are one
 * transaction, and the run begins after it. For the gate's own tools, that transaction also includes their work. While
 * the tool cannot be called, the approval is not used. If certainly nothing was sent, the use is undone. Makes one
 * attempt. Throws `StaleReadError` if a concurrent change came first.
 *
 * @param settle Writes in the same transaction.
 * @throws GateError `permit_invalid`; `conflict` for a tool that changed since the request; `service_unavailable` while
 * the tool cannot be called
 */
export async function useApproval(
  gate: ToolDeps,
  caller: Caller,
  { token, tool, arguments: given, line, readyBy = performance.now() + LONGEST_WAIT_MS }: ApprovedCall,
  settle: (tx: IdempotencyWriter, request: ConnectorRequest) => Promise<void> = async () => {},
): Promise<ConnectorRequest> {
  assertServing(gate);
  const check = async () => {
    const checked = await checkPermit(gate, caller, {
      token,
      action: tool.name,
      params: given,
      consume: true,
    });
    await assertRiskCovered(gate, checked, tool);
    return checked;
  };
  let checked = await check();
  const asked = await gate.storage.read.findConnectorRequestOf(checked.intent.id);
  if (asked && asked.toolHash !== toolHash(tool)) throw toolChanged(tool);
  // The wait for the server took a while, so the approval is checked again.
  if (await waitForTool(gate, caller, tool, readyBy)) checked = await check();
  const claim = claimOf(gate, caller);
  const request: ConnectorRequest = {
    ...(asked ?? newRequest(gate, caller, checked.intent, tool)),
    ...claim,
    state: 'executing',
  };
  const { projectId, intentId } = request;
  const call = { projectId, intentId, requestId: request.id, tool, arguments: given };
  const own = gate.tools.connectors.findOwnWork?.(call, gate.clock.now());
  const settlement = own && toSettlement(gate, own.result);
  const use = { permitId: checked.claims.jti, revision: 0 };
  await usePermit(gate, caller, checked, {
    by: request.id,
    async settle(tx) {
      const claimed = asked
        ? await tx.claimConnectorRequest(request.id, claim)
        : await tx.insertConnectorRequest(request);
      if (!claimed) throw new StaleReadError();
      // Reads the intent as this same use left it: the earlier read may be out of date.
      if (!own) use.revision = (await tx.findIntent(intentId))?.revision ?? use.revision;
      await settle(tx, request);
    },
    async recordOutcome(tx) {
      if (!own || !settlement) return;
      await own.write(tx);
      if (!(await settleRequest(gate, tx, request, settlement, toActor(caller)))) throw new StaleReadError();
    },
  });
  if (settlement) {
    gate.tools.runs.count(settlement.state);
    return asSettled(request, settlement);
  }
  startRun(gate, request, { tool, arguments: given, actor: toActor(caller), line, use });
  return request;
}

/** A command may take longer than this to start. Its start continues, so a later attempt waits less. */
export const LONGEST_WAIT_MS = 20_000;
const RETRY_SECONDS = 5;

/**
 * Waits until the tool's server can be called. This also checks the server's tools: a tool that has changed is not run.
 *
 * @returns whether the wait took a while
 * @throws GateError `service_unavailable`, `not_found` and `conflict` for a tool that is no longer offered in this form
 */
async function waitForTool(
  gate: Pick<ToolDeps, 'clock' | 'tools'>,
  caller: Caller,
  tool: Tool,
  readyBy: number,
): Promise<boolean> {
  const { findOutage } = gate.tools.connectors;
  if (!findOutage || !('projectId' in caller)) return false;
  const { projectId } = caller;
  const since = performance.now();
  const wait = (ms: number) => findOutage.call(gate.tools.connectors, { projectId, tool }, ms);
  const outage = await (gate.tools.waitingCalls.tryWait(caller, () => wait(Math.max(0, readyBy - since))) ??
    wait(0));
  if (outage !== undefined) throw toolAway(outage);
  const current = await getTool(gate, projectId, tool.name);
  if (toolHash(current) !== toolHash(tool)) throw toolChanged(tool);
  return performance.now() - since > 1000;
}

/** The error for a call of which the gate sent nothing, and whose approval is unused. */
export function toolAway(why: string): GateError<'service_unavailable'> {
  return new GateError(
    'service_unavailable',
    `The server of this tool cannot be called now: ${why} Nothing was sent and the approval is not used. Try again shortly.`,
    { retry_after_seconds: RETRY_SECONDS },
  );
}

/** A gate that is stopping does not start a run, because it could not finish the run. */
export function assertServing(gate: Pick<ToolDeps, 'clock' | 'tools'>): void {
  if (!gate.tools.runs.stopping.aborted) return;
  throw new GateError('service_unavailable', 'The gate is stopping; nothing was run. Try again shortly.', {
    retry_after_seconds: 2,
  });
}

/** Claims a request for this caller and this gate. */
export function claimOf(gate: Pick<ToolDeps, 'clock' | 'tools'>, caller: Caller): ConnectorClaim {
  const { holder } = gate.tools.runs;
  return { ranBy: caller.credentialId, leasedBy: holder, leasedUntil: gate.tools.runs.leaseEnd() };
}

/** The request as it is at its creation. */
export function newRequest(
  gate: Pick<ToolDeps, 'clock' | 'ids'>,
  caller: Caller,
  { projectId, id: intentId, paramsHash }: Pick<Intent, 'projectId' | 'id' | 'paramsHash'>,
  tool: Tool,
  id = gate.ids.next('crq'),
): ConnectorRequest {
  return {
    id,
    projectId,
    intentId,
    credentialId: caller.credentialId,
    toolName: tool.name,
    toolHash: toolHash(tool),
    argumentsHash: paramsHash,
    resultForm: tool.resultForm,
    state: 'pending',
    ranBy: null,
    leasedBy: null,
    leasedUntil: null,
    result: null,
    message: null,
    createdAt: gate.clock.now(),
    settledAt: null,
    erasedAt: null,
  };
}

/**
 * Another route may have created an intent with the same action and a lower risk tier than the tool's. So policy is
 * evaluated again with the tool's tier.
 */
async function assertRiskCovered(
  gate: Pick<ToolDeps, 'clock'>,
  { intent, settings }: CheckedPermit,
  tool: Tool,
): Promise<void> {
  const requestedRiskTier = higherTier(intent.requestedRiskTier, tool.riskTier);
  if (requestedRiskTier === intent.requestedRiskTier) return;
  const agent = await findIntentAgent(settings, intent);
  assertUsable({ ...intent, requestedRiskTier }, settings, agent, gate.clock.now());
}

function toolChanged(tool: Tool): GateError<'conflict'> {
  return new GateError(
    'conflict',
    `The definition of the tool ${tool.name} has changed since this call was requested. Nothing was run; ` +
      'call it again to have the new version approved.',
    {},
  );
}

/** Whether another caller used the approval first, possibly for the same request. */
export function isUsedUp(error: unknown): boolean {
  if (!(error instanceof GateError) || error.code !== 'permit_invalid') return false;
  return 'reason' in error.details && error.details.reason === 'already_used';
}
