/**
 * Serves one message of an agent: builds the exchange and sends its answer over HTTP. Importing this module loads the
 * SDK.
 */
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import type { JsonObject } from '@permitry/protocol';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Static } from 'typebox';
import type { GateParts } from '../../open-gate.ts';
import type { EventStreams } from '../../streams/event-streams.ts';
import { authenticateAgain } from '../admission/authenticate.ts';
import { getCaller } from '../admission/request-context.ts';
import { answerAsEvents } from '../answers/answer-as-events.ts';
import { hungUpSignal, whenOver } from '../answers/hung-up.ts';
import type { StreamTools } from '../answers/serve-streams.ts';
import type { ErrorTable } from '../errors/error-table.ts';
import { answerMessage, classify, type McpHeaders } from './answer-message.ts';
import type { CallsUnderWay } from './calls-under-way.ts';
import type { ClientAnswers } from './client-answers.ts';
import type { Exchange } from './exchange.ts';
import { findSession } from './find-session.ts';
import type { LogLevels } from './log-levels.ts';
import type { McpQuery } from './mcp.ts';
import { makeMcpServer } from './mcp-server.ts';
import { type McpSession, sealSession, skillsIn } from './session.ts';
import { Subscription } from './subscription.ts';
import { openToolStream } from './tool-stream.ts';

export interface McpTools extends StreamTools {
  gate: GateParts;
  /** Surface B's error names, for `data` of the errors. */
  errors: ErrorTable;
}

/** State that the requests of one client share. */
export interface McpParts {
  under: CallsUnderWay;
  answers: ClientAnswers;
  logLevels: LogLevels;
  streams: EventStreams;
}

const READ_HEADERS = [
  'content-type',
  'accept',
  'mcp-protocol-version',
  'mcp-session-id',
  'mcp-method',
  'mcp-name',
] as const satisfies readonly (keyof McpHeaders)[];

export async function serveMessage(
  tools: McpTools,
  { under, answers, logLevels, streams }: McpParts,
  request: FastifyRequest,
  message: JsonObject,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { gate, logger, errors } = tools;
  const caller = getCaller(request);
  const hungUp = hungUpSignal(reply);
  const headers = readHeaders(request);
  const classified = classify(headers, message);
  const legacy = classified.kind === 'legacy';
  const session = legacy ? findSession(gate, request) : null;
  if (session) heedCancellation(under, session, message);
  if (session && !('method' in message)) answers.take(session.id, message);
  const call = session && isId(message.id) ? under.begin(session.id, message.id) : null;
  if (call) whenOver(reply, call.end);

  const exchange: Exchange = {
    gate,
    caller,
    requestId: request.id,
    plainNames: (request.query as Static<typeof McpQuery>).tool_names === 'plain',
    legacy,
    session,
    logLevels,
    answers,
    cancelled: call ? AbortSignal.any([hungUp, call.signal]) : hungUp,
    refreshCaller: () => authenticateAgain(gate, request),
    onFault: (error) => logger.error({ err: error, request_id: request.id }, 'a call by MCP failed'),
  };
  const { toolsListChanged } = objectIn(message.params, 'notifications');
  const answered = await answerMessage(message, {
    classified,
    headers,
    listens: message.method === 'subscriptions/listen' && toolsListChanged === true,
    toRequest: () => toWebRequest(gate, headers, hungUp),
    makeServer: () => makeMcpServer(exchange, errors),
    onError: (error) => logger.info({ request_id: request.id }, error.message),
  });
  if (legacy && message.method === 'initialize' && typeof answered === 'string') {
    const skills = skillsIn(objectIn(message.params, 'capabilities'));
    reply.header('mcp-session-id', sealSession(gate.secretEncryption, caller, skills, request.id));
  }
  if (!(answered instanceof Subscription)) return send(reply, answered);
  const stream = await openToolStream(gate, streams, [request, reply], answered);
  return stream ? answerAsEvents(reply, stream.readable) : reply.send(answered.refuse(message.id));
}

function heedCancellation(under: CallsUnderWay, session: McpSession, { method, params }: JsonObject): void {
  if (method !== 'notifications/cancelled') return;
  const id = objectIn({ params }, 'params').requestId;
  if (isId(id)) under.cancel(session.id, id);
}

function isId(id: unknown): id is string | number {
  return typeof id === 'string' || typeof id === 'number';
}

/** Returns a member that is an object, or `{}` for anything else. */
function objectIn(value: unknown, name: string): JsonObject {
  const property = typeof value === 'object' && value !== null ? (value as JsonObject)[name] : undefined;
  return typeof property === 'object' && property !== null && !Array.isArray(property) ? property : {};
}

function readHeaders({ headers }: FastifyRequest): McpHeaders {
  const read: McpHeaders = {};
  for (const name of READ_HEADERS) {
    const value = headers[name];
    if (value !== undefined) read[name] = String(value);
  }
  return read;
}

function toWebRequest(gate: GateParts, read: McpHeaders, signal: AbortSignal): Request {
  const headers = new Headers();
  for (const name of READ_HEADERS) if (read[name] !== undefined) headers.set(name, read[name]);
  return new Request(`${gate.issuer}/mcp`, { method: 'POST', headers, signal });
}

async function send(reply: FastifyReply, response: string | Response): Promise<FastifyReply> {
  if (typeof response === 'string') return reply.type('application/json').send(response);
  reply.code(response.status);
  const type = response.headers.get('content-type');
  if (type === null || response.body === null) return reply.send();
  reply.type(type);
  if (!type.startsWith('text/event-stream')) return reply.send(await response.text());
  reply.header('x-accel-buffering', 'no');
  return reply.send(Readable.fromWeb(response.body as ReadableStream));
}
