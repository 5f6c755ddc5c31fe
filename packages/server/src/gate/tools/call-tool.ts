import type { JsonObject, ProofTier, RiskTier, SourceType } from '@permitry/protocol';
import { assertScope } from '../access/assert-scope.ts';
import { type AgentCaller, type Caller, type SecretCaller, toActor } from '../access/caller.ts';
import type { IntentView } from '../intents/intent-view.ts';
import { higherTier } from '../intents/policy-request.ts';
import { identifyParty } from '../intents/requesting-party.ts';
import { makeIntent } from '../intents/submit.ts';
import { assertCallerStanding } from '../project-settings/assert-caller-standing.ts';
import { retryWhenStale, StaleReadError, settingsFor } from '../project-settings/stale-read.ts';
import { assertArguments } from './assert-arguments.ts';
import { BornRequest } from './born-request.ts';
import type { ConnectorRequest } from './connector-request.ts';
import type { Tool } from './connectors.ts';
import type { GatewayAnswer } from './gateway-answer.ts';
import { getTool } from './get-tool.ts';
import { getProgram } from './program.ts';
import { findRepeated, keepRepeatable, type RepeatKey, toRepeatKey } from './repeat-key.ts';
import { answerRequest, type Patience } from './resume-request.ts';
import { startRun } from './run-tool.ts';
import type { ToolDeps } from './tool-deps.ts';
import { type ApprovedCall, assertServing, isUsedUp, useApproval } from './use-approval.ts';

export interface GatewayCall extends Patience {
  tool: string;
  arguments: JsonObject;
  /** As of intents. */
  source?: string;
  sourceType?: SourceType;
  riskTier?: RiskTier;
  proofTier?: ProofTier;
  /** A permit for exactly this call, instead of asking. */
  permitToken?: string;
  /** The same call under the same key, by the same credential within a day, is the same request. */
  idempotencyKey?: string;
}

/**
 * Calls a tool. Policy allows: it is run, in the transaction of its intent claimed, and the answer is what came of it,
 * or `executing` when that takes longer than an answer is held. Policy asks people: `pending`. With a permit token it is
 * run on the approval that the permit carries, for exactly these arguments.
 *
 * @throws GateError `not_found` for an unknown tool, `missing_fields` or `invalid_fields` for arguments that do not fit
 * it, and then nothing was made; `policy_violation`, `approver_not_found`, `agent_paused`, `project_stopped`,
 * `permit_invalid`, `conflict` for a tool that changed since its call was asked for, `idempotency_mismatch`; with `waitMs`
 * or a repeated key what `resumeRequest` throws
 * @example
 * const answer = await callTool(gate, caller, { tool: 'mail.send', arguments: { to: 'a@example.org', subject: 'Hi', text: '…' } });
 * if (answer.kind === 'pending') await resumeRequest(gate, caller, { requestId: answer.request.id });
 */
export async function callTool(gate: ToolDeps, caller: Caller, call: GatewayCall): Promise<GatewayAnswer> {
  const asked = getProgram(caller);
  assertScope(asked, 'intents:create', asked.projectId);
  const key = toRepeatKey(caller, call);
  const made = await retryWhenStale(gate, caller, async (current): Promise<Made> => {
    const program = getProgram(current);
    const repeated = key && (await findRepeated(gate, program, key));
    if (repeated) {
      await assertCallerStanding(gate, program);
      return { request: repeated, replayed: true };
    }
    const tool = await getTool(gate, program.projectId, call.tool);
    assertArguments(gate, tool, call.arguments);
    return call.permitToken === undefined
      ? ask(gate, program, tool, call, key)
      : present(
          gate,
          program,
          { token: call.permitToken, tool, arguments: call.arguments, line: call.line },
          key,
        );
  });
  return answerRequest(gate, caller, made.request, call, made);
}

interface Made {
  request: ConnectorRequest;
  known?: IntentView;
  replayed: boolean;
}

/** Runs it on a permit that was given for it. */
async function present(
  gate: ToolDeps,
  caller: Caller,
  call: ApprovedCall,
  key: RepeatKey | undefined,
): Promise<Made> {
  try {
    const request = await useApproval(gate, caller, call, (tx, { id }) => keepRepeatable(gate, tx, key, id));
    return { request, replayed: false };
  } catch (error) {
    // Used by this very call, at the same moment, under the same key.
    if (key && isUsedUp(error) && (await findRepeated(gate, caller, key))) throw new StaleReadError();
    throw error;
  }
}

/** Makes the intent and the request together; what policy allows is claimed with them, and run, or done with them. */
async function ask(
  gate: ToolDeps,
  caller: AgentCaller | SecretCaller,
  tool: Tool,
  call: GatewayCall,
  key: RepeatKey | undefined,
): Promise<Made> {
  assertServing(gate);
  const settings = await settingsFor(gate, caller, caller.projectId);
  const party = await identifyParty(gate, caller, call);
  const born = new BornRequest(gate, caller, { tool, arguments: call.arguments, key });
  const view = await makeIntent(gate, caller, {
    request: {
      action: tool.name,
      params: call.arguments,
      riskTier: higherTier(call.riskTier ?? 'low', tool.riskTier),
      ...(call.proofTier === undefined ? {} : { proofTier: call.proofTier }),
    },
    party,
    settings,
    attached: born.attachment,
  });
  const request = born.of(view.intent);
  if (request.state === 'executing') {
    startRun(gate, request, {
      tool,
      arguments: call.arguments,
      actor: toActor(caller),
      line: call.line,
    });
  } else gate.tools.runs.count(request.state);
  return { request, known: view, replayed: false };
}
