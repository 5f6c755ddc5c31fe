/** One message by HTTP: by which revision it is to be understood, and its answer as the SDK makes it. */
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

/** What the protocol reads of a request's headers; a key in particular is none of it. */
export interface McpHeaders {
  accept?: string | undefined;
  'content-type'?: string | undefined;
  'mcp-protocol-version'?: string | undefined;
  'mcp-session-id'?: string | undefined;
  'mcp-method'?: string | undefined;
  'mcp-name'?: string | undefined;
}

export type Classified = ReturnType<typeof classifyInboundRequest>;

/** `legacy`: a client of the 2025 revisions speaks. */
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
  /** Whether the client asks to be told when tools change. */
  listens: boolean;
  /** Made where it is needed: taking the SDK's own objects of requests apart costs more than the message. */
  toRequest: () => Request;
  /** Called once, for a request that the revision's own rules let through. */
  makeServer: () => Server;
  onError: (error: Error) => void;
}

/** The text of an answer in JSON; a stream that stays open; or another response: a stream that ends, an error with its status, nothing. */
export type Answered = string | Subscription | Response;

/**
 * One body of JSON, or a stream as soon as there is something to tell or ask before the answer.
 *
 * @throws GateError for a message that is none, and one of 2025 that breaks the rules of its revision
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
    // The writer of all streams keeps it alive.
    ...(listens ? { keepAliveMs: 0 } : {}),
  });
  const response = await handler.fetch(toRequest(), { parsedBody: message });
  const isOpen = response.headers.get('content-type') === 'text/event-stream';
  return listens && isOpen && response.body ? new Subscription(handler, response.body) : response;
}

/**
 * A request of which the SDK's handler would look at nothing more before it hands it to the server: the headers say what the
 * message does, letter for letter. All else is left to the handler, and so is every refusal.
 */
function findPlainRequest(
  { message, classification }: Extract<Classified, { kind: 'modern' }>,
  headers: McpHeaders,
) {
  if (!('id' in message) || classification.revision !== MODERN_REVISION) return undefined;
  const { method, params } = message;
  const isNamed = headers['mcp-protocol-version'] === MODERN_REVISION && headers['mcp-method'] === method;
  const name = headers['mcp-name'];
  // `=?base64?…?=` stands for a name that no header can hold.
  const isCall = method === 'tools/call' && name === params?.name && name?.startsWith('=?') === false;
  return isNamed && (isCall || method === 'tools/list') ? { request: message, classification } : undefined;
}

/**
 * The SDK's own stateless serving of 2025 streams every answer. This serves each request on the transport that it has for
 * 2026-07-28, which streams where there is a reason to.
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
    // 2025 knows errors of the protocol in the body only; a 404 would say that the session is gone.
    return typeof answered === 'string' || answered.ok
      ? answered
      : new Response(answered.body, { headers: answered.headers });
  }
  // An answer has been heard, if anybody waited for it.
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
    const message = 'The body is no message of JSON-RPC 2.0.';
    throw new GateError('invalid_fields', message, { fields: [{ path: '', message }] }, { cause });
  }
}

/** Streamable HTTP of the 2025 revisions: what a client has to accept, and which revision it may name. */
function assertByTheRules(headers: McpHeaders, message: JSONRPCMessage): void {
  const { accept = '' } = headers;
  if (!accept.includes('application/json') || !accept.includes('text/event-stream')) {
    throw new GateError('not_acceptable', 'Accept both application/json and text/event-stream.', {});
  }
  const version = headers['mcp-protocol-version'];
  if (version === undefined || isInitializeRequest(message) || LEGACY_REVISIONS.includes(version)) return;
  const sentence = `MCP-Protocol-Version names a revision that is not spoken here; these are: ${LEGACY_REVISIONS.join(', ')}.`;
  throw new GateError('invalid_fields', sentence, { fields: [{ path: '', message: sentence }] });
}
