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
  /** As for intents. */
  source?: string;
  sourceType?: SourceType;
  riskTier?: RiskTier;
  proofTier?: ProofTier;
  /** A permit for exactly this call, which replaces a new request. */
  permitToken?: string;
  /** A repetition of the call with this key returns the same request, from the same credential within a day. */
  idempotencyKey?: string;
}

/**
 * Calls a tool. If policy allows the call, the call is claimed in the transaction of its intent and then runs. The
 * answer is its result, or `executing` if it runs longer than an answer is held. If policy requires approval, the
 * answer is `pending`. With a permit token, the call runs on that approval, with exactly the approved arguments.
 *
 * @throws GateError `not_found` for an unknown tool, `missing_fields` or `invalid_fields` for arguments that do not
 * fit it; nothing was created then. Also `policy_violation`, `approver_not_found`, `agent_paused`, `project_stopped`,
 * `permit_invalid`, `conflict` for a tool that changed since the request, and `idempotency_mismatch`. With `waitMs`
 * or a repeated key, also what `resumeRequest` throws.
 * @example
 * const answer = await callTool(gate, caller, { tool: 'mail.send', arguments: { to: 'a@example.org', text: '…' } });
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

/** Runs the call on the approval of the presented permit. */
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
    // A concurrent call with the same key used the permit first, for this same call.
    if (key && isUsedUp(error) && (await findRepeated(gate, caller, key))) throw new StaleReadError();
    throw error;
  }
}

/**
 * Creates the intent and the request together. If policy allows the call, also claims it. The call then runs, or is
 * finished in the same transaction.
 */
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
