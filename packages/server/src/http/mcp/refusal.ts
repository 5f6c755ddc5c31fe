/**
 * The gate's refusals as MCP says them. What the model can do something about is a result that it reads: a denial and its
 * reason, arguments that do not fit. What speaks of the client's standing, or of the moment, is an error of the protocol.
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

/** Those that are no fault of the model's, and that it can do nothing about. */
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

/** Begins the numbers that a server may use as it likes (JSON-RPC 2.0 §5.1). */
const REFUSED = -32000;

/** @throws ProtocolError for what the model can do nothing about; `data` is the gate's own error, with its code. */
export function toRefusedResult(error: GateError, table: ErrorTable, requestId: string): CallToolResult {
  const { body } = toErrorAnswer(error, table, requestId);
  if (OF_THE_CLIENT.has(error.code)) throw toProtocolError(error, body.error);
  return {
    content: [{ type: 'text', text: sentenceOf(error) }],
    structuredContent: { status: 'refused', error: body.error },
    isError: true,
  };
}

/** @throws ProtocolError always, where no tool was called. */
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
