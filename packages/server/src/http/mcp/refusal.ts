/**
 * Turns the gate's refusals into MCP answers. A refusal that the model can act on is a result that it reads: a denial
 * with its reason, or arguments that do not fit. A refusal that concerns the client or the moment is a protocol
 * error.
 */
import {
  type CallToolResult,
  INTERNAL_ERROR,
  INVALID_PARAMS,
  ProtocolError,
} from '@modelcontextprotocol/server';
import type { JsonObject } from '@permitry/protocol';
import type { GateError, GateErrorCode } from '../../gate/kernel/errors.ts';
import { toErrorAnswer } from '../errors/error-answer.ts';
import type { ErrorTable } from '../errors/error-table.ts';

/** Refusals that are not the model's fault and that it cannot fix. */
const OF_THE_CLIENT: ReadonlySet<GateErrorCode> = new Set([
  'unauthorized',
  'forbidden',
  'agent_paused',
  'agent_revoked',
  'project_stopped',
  'rate_limited',
  'service_unavailable',
  'internal_error',
]);

/** The first of the error codes that a server may define (JSON-RPC 2.0 §5.1). */
const REFUSED = -32000;

/** @throws ProtocolError for what the model cannot fix; `data` is the gate's own error with its code */
export function toRefusedResult(error: GateError, table: ErrorTable, requestId: string): CallToolResult {
  const { body } = toErrorAnswer(error, table, requestId);
  if (OF_THE_CLIENT.has(error.code)) throw toProtocolError(error, body.error);
  return {
    content: [{ type: 'text', text: sentenceOf(error) }],
    structuredContent: { status: 'refused', error: body.error },
    isError: true,
  };
}

/** Makes the error for a message in which no tool was called. */
export function toProtocolError(error: GateError, data: JsonObject): ProtocolError {
  return new ProtocolError(numberOf(error.code), error.message, data);
}

const OF_PARAMS: ReadonlySet<GateErrorCode> = new Set(['not_found', 'missing_fields', 'invalid_fields']);

function numberOf(code: GateErrorCode): number {
  if (code === 'internal_error') return INTERNAL_ERROR;
  return OF_PARAMS.has(code) ? INVALID_PARAMS : REFUSED;
}

function sentenceOf({ message, details }: GateError): string {
  const reason = 'reason' in details && typeof details.reason === 'string' ? details.reason : null;
  const fields = 'fields' in details ? details.fields : [];
  return [
    message,
    ...(reason === null || message.includes(reason) ? [] : [`Reason: ${reason}`]),
    ...fields.map(({ path, message: what }) => `${path}: ${what}`).filter((line) => !message.includes(line)),
  ].join('\n');
}
