/** Finds the protocol revision of one HTTP message and answers it with the SDK. */
import {
  classifyInboundRequest,
  createMcpHandler,
  isInitializeRequest,
  isJSONRPCNotification,
  isJSONRPCRequest,
  type JSONRPCMessage,
  PerRequestHTTPServerTransport,
  parseJSONRPCMessage,
  type Server,
} from '@modelcontextprotocol/server';
import type { JsonObject } from '@permitry/protocol';
import { GateError } from '../../gate/kernel/errors.ts';
import { DirectTransport } from './direct-transport.ts';
import { LEGACY_REVISIONS, MODERN_REVISION } from './revisions.ts';
import { Subscription } from './subscription.ts';

/** The headers that the protocol reads. The key is not among them. */
export interface McpHeaders {
  accept?: string | undefined;
  'content-type'?: string | undefined;
  'mcp-protocol-version'?: string | undefined;
  'mcp-session-id'?: string | undefined;
  'mcp-method'?: string | undefined;
  'mcp-name'?: string | undefined;
}

export type Classified = ReturnType<typeof classifyInboundRequest>;

/** `legacy`: the client speaks a 2025 revision. */
export function classify(headers: McpHeaders, message: JsonObject): Classified {
  const version = headers['mcp-protocol-version'];
  const method = headers['mcp-method'];
  const name = headers['mcp-name'];
  return classifyInboundRequest({
    httpMethod: 'POST',
    body: message,
    ...(version === undefined ? {} : { protocolVersionHeader: version }),
    ...(method === undefined ? {} : { mcpMethodHeader: method }),
    ...(name === undefined ? {} : { mcpNameHeader: name }),
  });
}

export interface AnswerOptions {
  classified: Classified;
  headers: McpHeaders;
  /** Whether the client subscribes to tool changes. */
  listens: boolean;
  /**
   * Called only where a `Request` is needed: building and reading the SDK's request objects costs more than the
   * message.
   */
  toRequest: () => Request;
  /** Called once, for a request that passed the rules of its revision. */
  makeServer: () => Server;
  onError: (error: Error) => void;
}

/**
 * JSON text, a stream that stays open, or another response: a stream that ends, an error with its status, or no body.
 */
export type Answered = string | Subscription | Response;

/**
 * Answers with one JSON body, or with a stream as soon as something has to be sent before the answer.
 *
 * @throws GateError for a message that is not JSON-RPC, and for a 2025 message that breaks the rules of its revision
 */
export async function answerMessage(
  message: JsonObject,
  { classified, headers, listens, toRequest, makeServer, onError }: AnswerOptions,
): Promise<Answered> {
  if (classified.kind === 'legacy') return answerLegacy(headers, message, makeServer);
  const plain = classified.kind === 'modern' ? findPlainRequest(classified, headers) : undefined;
  if (plain) {
    const { classification } = plain;
    return new DirectTransport({ classification }).answer(makeServer(), plain.request);
  }
  const handler = createMcpHandler(makeServer, {
    legacy: 'reject',
    onerror: onError,
    // The event stream sends the heartbeats itself.
    ...(listens ? { keepAliveMs: 0 } : {}),
  });
  const response = await handler.fetch(toRequest(), { parsedBody: message });
  const isOpen = response.headers.get('content-type') === 'text/event-stream';
  return listens && isOpen && response.body ? new Subscription(handler, response.body) : response;
}

/**
 * Finds a request that the SDK's handler would pass to the server without further checks, because its headers match
 * its body exactly. The handler gets everything else and makes every refusal.
 */
function findPlainRequest(
  { message, classification }: Extract<Classified, { kind: 'modern' }>,
  headers: McpHeaders,
) {
  if (!('id' in message) || classification.revision !== MODERN_REVISION) return undefined;
  const { method, params } = message;
  const isNamed = headers['mcp-protocol-version'] === MODERN_REVISION && headers['mcp-method'] === method;
  const name = headers['mcp-name'];
  // `=?base64?…?=` encodes a name that no header can hold.
  const isCall = method === 'tools/call' && name === params?.name && name?.startsWith('=?') === false;
  return isNamed && (isCall || method === 'tools/list') ? { request: message, classification } : undefined;
}

/**
 * The SDK's stateless 2025 server streams every answer. This function uses the SDK's per-request transport for
 * 2026-07-28 instead, which streams only when it has to.
 */
async function answerLegacy(
  headers: McpHeaders,
  given: JsonObject,
  makeServer: () => Server,
): Promise<Answered> {
  const message = readMessage(given);
  assertByTheRules(headers, message);
  const classification = { era: 'legacy' } as const;
  if (isJSONRPCRequest(message)) {
    const answered = await new DirectTransport({ classification }).answer(makeServer(), message);
    // 2025 revisions report protocol errors in the body only. A 404 would mean that the session is gone.
    return typeof answered === 'string' || answered.ok
      ? answered
      : new Response(answered.body, { headers: answered.headers });
  }
  // If the message is a client's answer to a question, the call that waits for it has received it already.
  if (!isJSONRPCNotification(message)) return new Response(null, { status: 202 });
  const server = makeServer();
  const transport = new PerRequestHTTPServerTransport({ classification });
  await server.connect(transport);
  const response = await transport.handleMessage(message);
  await server.close();
  return response;
}

function readMessage(given: JsonObject): JSONRPCMessage {
  try {
    return parseJSONRPCMessage(given);
  } catch (cause) {
    const message = 'The body is not a JSON-RPC 2.0 message.';
    throw new GateError('invalid_fields', message, { fields: [{ path: '', message }] }, { cause });
  }
}

/** Streamable HTTP of the 2025 revisions: what a client must accept, and which revisions it may name. */
function assertByTheRules(headers: McpHeaders, message: JSONRPCMessage): void {
  const { accept = '' } = headers;
  if (!accept.includes('application/json') || !accept.includes('text/event-stream')) {
    throw new GateError('not_acceptable', 'Accept both application/json and text/event-stream.', {});
  }
  const version = headers['mcp-protocol-version'];
  if (version === undefined || isInitializeRequest(message) || LEGACY_REVISIONS.includes(version)) return;
  const sentence = `MCP-Protocol-Version names an unsupported revision; supported are: ${LEGACY_REVISIONS.join(', ')}.`;
  throw new GateError('invalid_fields', sentence, { fields: [{ path: '', message: sentence }] });
}
