/**
 * Handles one tool call. A call that policy allows is run and answered. For a call that needs approval, the client
 * sends its user to the approval page if it can. Otherwise the call waits briefly and then says how to come back.
 * This module decides nothing and runs nothing after the client has left: a later approval waits for the client to
 * return.
 */
import {
  type CallToolRequest,
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  INVALID_PARAMS,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  ProtocolError,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { hashJson, type JsonObject } from '@permitry/protocol';
import { GateError } from '../../gate/kernel/errors.ts';
import type { Instant } from '../../gate/kernel/instant.ts';
import { callTool } from '../../gate/tools/call-tool.ts';
import { findWaitingCall } from '../../gate/tools/find-waiting-call.ts';
import type { GatewayAnswer } from '../../gate/tools/gateway-answer.ts';
import { resumeRequest } from '../../gate/tools/resume-request.ts';
import type { ClientLine } from './caller-line.ts';
import type { Exchange } from './exchange.ts';
import { LongPoll } from './long-poll.ts';
import { LONGEST_WAIT_SECONDS } from './own-tools.ts';
import { openRequestState, type RequestState, sealRequestState } from './request-state.ts';
import { toCallResult } from './to-call-result.ts';

/** The key of the link in `inputRequests`, and of its answer in `inputResponses`. */
const APPROVAL = 'approval';

export async function callProtectedTool(
  exchange: Exchange,
  { name, arguments: given = {} }: CallToolRequest['params'],
  context: ServerContext,
  line: ClientLine,
): Promise<CallToolResult | InputRequiredResult> {
  const call = { tool: name, arguments: given as JsonObject };
  const longPoll = new LongPoll(exchange, context, line);
  const state = context.mcpReq.requestState<RequestState>();
  if (state !== undefined)
    return comeBack({ exchange, longPoll, context, line }, state, hashJson({ ...call }));

  const { answer, joined } = await callOrJoin(exchange, { ...call, line });
  if (answer.kind !== 'pending') return toCallResult(answer, exchange, joined);

  if (exchange.session?.skills.includes('url')) {
    return toCallResult(
      await waitAtPage(longPoll, answer, line, { asks: joined === null }),
      exchange,
      joined,
    );
  }
  if (opensUrls(context)) return leadToApproval(exchange, answer, hashJson({ ...call }));
  // Without progress messages nobody would see the link while the call is held.
  if (!longPoll.showsProgress) return toCallResult(answer, exchange, joined);
  return toCallResult(await longPoll.untilDecided(answer, LONGEST_WAIT_SECONDS), exchange, joined);
}

interface WaitingCall {
  exchange: Exchange;
  longPoll: LongPoll;
  context: ServerContext;
  line: ClientLine;
}

/**
 * Joins a pending call with the same arguments instead of creating a second request. The answer says so, in case the
 * client meant two.
 */
async function callOrJoin(
  { gate, caller, cancelled: hungUp }: Exchange,
  call: { tool: string; arguments: JsonObject; line: ClientLine },
): Promise<{ answer: GatewayAnswer; joined: Instant | null }> {
  const waiting = await findWaitingCall(gate, caller, call);
  if (waiting) {
    try {
      const answer = await resumeRequest(gate, caller, { requestId: waiting.id, hungUp, line: call.line });
      return { answer, joined: waiting.createdAt };
    } catch (error) {
      if (!isOfNoUse(error)) throw error;
    }
  }
  return { answer: await callTool(gate, caller, { ...call, hungUp }), joined: null };
}

/** The approval can no longer be used, for instance because policy is stricter now. The call needs a new request. */
function isOfNoUse(error: unknown): boolean {
  return error instanceof GateError && (error.code === 'permit_invalid' || error.code === 'conflict');
}

/** 2026-07-28: the client asked its user to open the link, and repeats the call with the state it was given. */
async function comeBack(
  { exchange, longPoll, context, line }: WaitingCall,
  { requestId, callHash }: RequestState,
  presented: string,
): Promise<CallToolResult> {
  if (callHash !== presented) {
    throw new ProtocolError(INVALID_PARAMS, 'The requestState belongs to a call with other arguments.', {
      reason: 'invalid_request_state',
    });
  }
  const { gate, caller, cancelled: hungUp } = exchange;
  const answer = await resumeRequest(gate, caller, { requestId, hungUp, line });
  const opened = inputResponse(context.mcpReq.inputResponses, APPROVAL);
  const wasOpened = opened.kind === 'elicit' && opened.action === 'accept';
  // A user who does not open the link has decided nothing. The call stays pending, and other approvers can decide.
  if (answer.kind !== 'pending' || !wasOpened) return toCallResult(answer, exchange, null);
  return toCallResult(await longPoll.untilDecided(answer, LONGEST_WAIT_SECONDS), exchange, null);
}

export function verifyRequestState({ gate, caller }: Exchange, sealed: string): RequestState {
  const state = openRequestState(gate.secretEncryption, caller, sealed);
  if (!state) throw new Error('not a state of this credential');
  return state;
}

/** 2026-07-28: each request names the capabilities of its client. */
function opensUrls(context: ServerContext): boolean {
  const envelope: Partial<Record<string, unknown>> = context.mcpReq.envelope ?? {};
  const declared = envelope[CLIENT_CAPABILITIES_META_KEY] as ClientCapabilities | undefined;
  return declared?.elicitation?.url !== undefined;
}

function leadToApproval(
  { gate, caller }: Exchange,
  answer: GatewayAnswer,
  callHash: string,
): InputRequiredResult {
  return inputRequired({
    inputRequests: {
      [APPROVAL]: inputRequired.elicitUrl({
        message: invitation(answer),
        url: answer.intent.approvalUrl,
      }),
    },
    requestState: sealRequestState(gate.secretEncryption, caller, { requestId: answer.request.id, callHash }),
  });
}

/**
 * 2025-11-25: asks the client, in the stream of its call, to send its user to the page, and holds the call meanwhile.
 * The decision ends the wait, and so does a user who declines. No answer from the client changes nothing.
 *
 * @param asks False for a call that joined another one: its user was asked then.
 */
async function waitAtPage(
  longPoll: LongPoll,
  answer: GatewayAnswer,
  line: ClientLine,
  { asks }: { asks: boolean },
): Promise<GatewayAnswer> {
  const refused = new AbortController();
  const elicitationId = answer.request.id;
  const question = {
    mode: 'url',
    elicitationId,
    url: answer.intent.approvalUrl,
    message: invitation(answer),
  };
  const answered = asks ? line.ask('elicitation/create', question) : Promise.resolve(undefined);
  answered.then(
    (said) => {
      if (said !== undefined && said.action !== 'accept') refused.abort();
    },
    () => {},
  );
  const decided = await longPoll.untilDecided(answer, LONGEST_WAIT_SECONDS, refused.signal);
  if (decided.kind !== 'pending') {
    await line.notify('notifications/elicitation/complete', { elicitationId });
  }
  return decided;
}

function invitation({ request }: GatewayAnswer): string {
  return `A person has to approve ${request.toolName} before it runs. The page shows exactly what would run. Opening it decides nothing.`;
}
