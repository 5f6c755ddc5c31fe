/**
 * The door for agents that speak MCP (Streamable HTTP, revisions 2026-07-28 and 2025-11-25): the project's protected tools,
 * each call of which goes through policy and people. Each message stands for itself; nothing is kept between two.
 */
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import type { JsonObject } from '@permitry/protocol';
import { StrictObject } from '@permitry/protocol/schemas';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import Type, { type Static } from 'typebox';
import type { GateParts } from '../../open-gate.ts';
import type { Metrics } from '../../ops/metrics/metrics.ts';
import { authenticateAgain } from '../admission/authenticate.ts';
import { getCaller } from '../admission/request-context.ts';
import { hungUpSignal, whenOver } from '../answers/hung-up.ts';
import type { ErrorTable } from '../errors/error-table.ts';
import type { GateApp } from '../routes/surface.ts';
import { type Answered, answerMessage, classify, type McpHeaders } from './answer-message.ts';
import { assertOwnOrigin } from './assert-own-origin.ts';
import { CallsUnderWay } from './calls-under-way.ts';
import { ClientAnswers } from './client-answers.ts';
import type { Exchange } from './exchange.ts';
import { findSession } from './find-session.ts';
import { notAllowed, serveStream, subscribe } from './listen.ts';
import { LogLevels } from './log-levels.ts';
import { makeMcpServer } from './mcp-server.ts';
import { type McpSession, sealSession, skillsIn } from './session.ts';
import { ToolListeners } from './tool-listeners.ts';

/** As surface B names refusals: they stand in `data` of the errors. */
export interface McpTools {
  gate: GateParts;
  logger: Logger;
  /** Null: nobody asks for figures. */
  metrics: Metrics | null;
  errors: ErrorTable;
}

const READ_HEADERS = [
  'content-type',
  'accept',
  'mcp-protocol-version',
  'mcp-session-id',
  'mcp-method',
  'mcp-name',
] as const satisfies readonly (keyof McpHeaders)[];

const McpQuery = StrictObject({ tool_names: Type.Optional(Type.Literal('plain')) });

export function mcpRoutes(app: GateApp, tools: McpTools): void {
  const issuer = new URL(tools.gate.issuer);
  const listeners = new ToolListeners(tools.gate, (error) =>
    tools.logger.warn({ err: error }, 'agents could not be told that their tools changed'),
  );
  tools.metrics?.gauge(
    'permitry_mcp_streams',
    'Agents that are told when their tools change.',
    () => listeners.count,
  );
  // Before the server waits for answers under way: a stream is one that would never end.
  app.addHook('preClose', (done) => {
    listeners.close();
    done();
  });
  const parts: Parts = {
    under: new CallsUnderWay(),
    answers: new ClientAnswers(),
    logLevels: new LogLevels(),
    listeners,
  };
  const guard = async (request: FastifyRequest): Promise<void> => assertOwnOrigin(request, issuer);

  // A message is an object: the batches of 2025-03-26 would be many calls that count as one.
  const schema = { body: Type.Object({}, { additionalProperties: true }), querystring: McpQuery, hide: true };
  app.post('/mcp', { schema, onRequest: guard }, async (request, reply) =>
    serve(tools, parts, request, request.body as JsonObject, reply),
  );
  // A stream has no answer without its body, so there is no HEAD of it.
  app.get('/mcp', { exposeHeadRoute: false, schema: { hide: true }, onRequest: guard }, (request, reply) =>
    serveStream(tools.gate, listeners, request, reply),
  );
  // There is no session to end.
  app.delete('/mcp', { schema: { hide: true }, onRequest: guard }, (_request, reply) => notAllowed(reply));
}

/** What the requests of one client have to do with one another. */
interface Parts {
  under: CallsUnderWay;
  answers: ClientAnswers;
  logLevels: LogLevels;
  listeners: ToolListeners;
}

async function serve(
  tools: McpTools,
  { under, answers, logLevels, listeners }: Parts,
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
  const subscribes = classified.kind === 'modern' && message.method === 'subscriptions/listen';
  const answered = await answerMessage(message, {
    classified,
    headers,
    ...(subscribes ? { subscription: await subscribe(gate, listeners, request, reply) } : {}),
    toRequest: () => toWebRequest(gate, headers, hungUp),
    makeServer: () => makeMcpServer(exchange, errors),
    onError: (error) => logger.info({ request_id: request.id }, error.message),
  });
  if (legacy && message.method === 'initialize' && typeof answered === 'string') {
    const skills = skillsIn(objectIn(message.params, 'capabilities'));
    reply.header('mcp-session-id', sealSession(gate.secretEncryption, caller, skills, request.id));
  }
  return send(reply, answered);
}

function heedCancellation(under: CallsUnderWay, session: McpSession, { method, params }: JsonObject): void {
  if (method !== 'notifications/cancelled') return;
  const id = objectIn({ params }, 'params').requestId;
  if (isId(id)) under.cancel(session.id, id);
}

function isId(id: unknown): id is string | number {
  return typeof id === 'string' || typeof id === 'number';
}

/** A member that is an object; `{}` for whatever else stands there. */
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

async function send(reply: FastifyReply, response: Answered): Promise<FastifyReply> {
  if (typeof response === 'string') return reply.type('application/json').send(response);
  reply.code(response.status);
  const type = response.headers.get('content-type');
  if (type === null || response.body === null) return reply.send();
  reply.type(type);
  if (!type.startsWith('text/event-stream')) return reply.send(await response.text());
  reply.header('x-accel-buffering', 'no');
  return reply.send(Readable.fromWeb(response.body as ReadableStream));
}
