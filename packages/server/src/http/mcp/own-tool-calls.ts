import type { CallToolRequest, CallToolResult, ServerContext } from '@modelcontextprotocol/server';
import { withdrawIntent } from '../../gate/intents/withdraw.ts';
import { GateError } from '../../gate/kernel/errors.ts';
import type { CallerLine } from '../../gate/tools/connectors.ts';
import { getRequest } from '../../gate/tools/find-request.ts';
import { resumeRequest } from '../../gate/tools/resume-request.ts';
import type { Exchange } from './exchange.ts';
import { LongPoll } from './long-poll.ts';
import { LONGEST_WAIT_SECONDS, USUAL_WAIT_SECONDS } from './own-tools.ts';
import { toCallResult } from './to-call-result.ts';

type Given = CallToolRequest['params']['arguments'];

/** `permitry.result` */
export async function callResultTool(
  exchange: Exchange,
  given: Given,
  context: ServerContext,
  line: CallerLine,
): Promise<CallToolResult> {
  const { connector_request_id: requestId, wait_seconds: wait = USUAL_WAIT_SECONDS } = readProperties(given, [
    'connector_request_id',
    'wait_seconds',
  ]);
  assertId(requestId);
  if (!isWait(wait)) {
    throw wrong('/arguments/wait_seconds', `must be a whole number from 0 to ${LONGEST_WAIT_SECONDS}`);
  }
  const longPoll = new LongPoll(exchange, context, line);
  const { gate, caller, cancelled } = exchange;
  const answer = await resumeRequest(gate, caller, { requestId, hungUp: cancelled, line });
  if (answer.kind !== 'pending' || wait === 0) return toCallResult(answer, exchange, null);
  return toCallResult(await longPoll.untilDecided(answer, wait), exchange, null);
}

/** `permitry.withdraw` */
export async function callWithdrawTool({ gate, caller }: Exchange, given: Given): Promise<CallToolResult> {
  const { connector_request_id: requestId } = readProperties(given, ['connector_request_id']);
  assertId(requestId);
  const request = await getRequest(gate, caller, requestId);
  await withdrawIntent(gate, caller, request.intentId);
  return {
    content: [
      {
        type: 'text',
        text: `Withdrawn: ${request.toolName} will not be run and no longer needs approval.`,
      },
    ],
    structuredContent: {
      status: 'withdrawn',
      connector_request_id: request.id,
      intent_id: request.intentId,
    },
  };
}

function readProperties<Name extends string>(
  given: Given,
  names: readonly Name[],
): Partial<Record<Name, unknown>> {
  const properties: Record<string, unknown> = given ?? {};
  const unknown = Object.keys(properties).find((name) => !names.some((known) => known === name));
  if (unknown !== undefined)
    throw wrong('/arguments', `has a member that this tool does not accept; it accepts ${names.join(', ')}`);
  return properties as Partial<Record<Name, unknown>>;
}

function assertId(value: unknown): asserts value is string {
  if (typeof value !== 'string' || value === '' || value.length > 64) {
    throw wrong('/arguments/connector_request_id', 'must be the connector_request_id of an earlier answer');
  }
}

function isWait(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) >= 0 && Number(value) <= LONGEST_WAIT_SECONDS;
}

function wrong(path: string, message: string): GateError {
  return new GateError('invalid_fields', `${path} ${message}.`, { fields: [{ path, message }] });
}
