/** The SDK's server for one exchange: it speaks the protocol and calls the gate. */
import {
  type CallToolRequest,
  type CallToolResult,
  type InputRequiredResult,
  ProtocolError,
  Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type { GateError } from '../../gate/kernel/errors.ts';
import { listTools } from '../../gate/tools/list-tools.ts';
import { VERSION } from '../../runtime/version.ts';
import { toErrorAnswer } from '../errors/error-answer.ts';
import type { ErrorTable } from '../errors/error-table.ts';
import { toGateError } from '../errors/framework-errors.ts';
import { callProtectedTool, verifyRequestState } from './call-tool.ts';
import { type ClientLine, openLine } from './caller-line.ts';
import type { Exchange } from './exchange.ts';
import { callResultTool, callWithdrawTool } from './own-tool-calls.ts';
import { RESULT_TOOL, WITHDRAW_TOOL } from './own-tools.ts';
import { findByPlainName, toPlainName } from './plain-names.ts';
import { toProtocolError, toRefusedResult } from './refusal.ts';
import { REVISIONS } from './revisions.ts';
import { listMcpTools } from './tool-list.ts';

const INFO = { name: 'permitry', title: 'Permitry', version: VERSION };

const INSTRUCTIONS =
  'These tools are protected: policy or people decide on each call before it runs. If a person has to approve a call, it ' +
  `answers with status "pending" and a link for the user; call ${RESULT_TOOL} for its result. A denied call says why. ` +
  'Do not try to get the same done in another way.';

export function makeMcpServer(exchange: Exchange, table: ErrorTable): Server {
  const server = new Server(INFO, {
    // 2026-07-28 removed logging.
    capabilities: { tools: { listChanged: true }, ...(exchange.legacy ? { logging: {} } : {}) },
    instructions: INSTRUCTIONS,
    supportedProtocolVersions: REVISIONS,
    requestState: { verify: (sealed) => verifyRequestState(exchange, sealed) },
    // The SDK's shim needs a connection, and the gate keeps none. `ClientAnswers` handles questions to 2025 clients.
    inputRequired: { legacyShim: false },
  });
  if (exchange.legacy) {
    server.setRequestHandler('logging/setLevel', async ({ params }) => {
      if (exchange.session) exchange.logLevels.keep(exchange.session.id, params.level);
      return {};
    });
  }
  server.setRequestHandler('tools/list', async ({ params }) => {
    try {
      return await listMcpTools(exchange, params?.cursor);
    } catch (thrown) {
      throw asProtocolError(thrown, exchange, table);
    }
  });
  server.setRequestHandler('tools/call', async ({ params: given }, context) => {
    const params = { ...given, name: await meantBy(exchange, given.name) };
    try {
      return await call(exchange, params, context, openLine(exchange, server, context));
    } catch (thrown) {
      if (thrown instanceof ProtocolError) throw thrown;
      const error = foreseen(thrown, exchange);
      // MCP: an unknown tool is a protocol error, an unknown request is an error of the tool.
      if (error.code === 'not_found' && !isOwn(params.name)) throw asProtocolError(error, exchange, table);
      return toRefusedResult(error, table, exchange.requestId);
    }
  });
  return server;
}

function call(
  exchange: Exchange,
  params: CallToolRequest['params'],
  context: ServerContext,
  line: ClientLine,
): Promise<CallToolResult | InputRequiredResult> {
  switch (params.name) {
    case RESULT_TOOL:
      return callResultTool(exchange, params.arguments, context, line);
    case WITHDRAW_TOOL:
      return callWithdrawTool(exchange, params.arguments);
    default:
      return callProtectedTool(exchange, params, context, line);
  }
}

/** Resolves the name that a client used to the tool's own name. */
async function meantBy({ gate, caller, plainNames }: Exchange, name: string): Promise<string> {
  if (!plainNames) return name;
  const own = [RESULT_TOOL, WITHDRAW_TOOL].find((tool) => toPlainName(tool) === name);
  return own ?? findByPlainName(await listTools(gate, caller), name)?.name ?? name;
}

function isOwn(name: string): boolean {
  return name === RESULT_TOOL || name === WITHDRAW_TOOL;
}

function asProtocolError(thrown: unknown, exchange: Exchange, table: ErrorTable): ProtocolError {
  if (thrown instanceof ProtocolError) return thrown;
  const error = foreseen(thrown, exchange);
  return toProtocolError(error, toErrorAnswer(error, table, exchange.requestId).body.error);
}

/** Reports unexpected errors here, because the HTTP status of the answer is 200. */
function foreseen(thrown: unknown, exchange: Exchange): GateError {
  const error = toGateError(thrown);
  if (error.code === 'internal_error') exchange.onFault(error.cause ?? thrown);
  return error;
}
