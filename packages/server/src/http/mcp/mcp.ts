/**
 * The endpoint for agents that speak MCP (Streamable HTTP, revisions 2026-07-28 and 2025-11-25). It offers the
 * project's protected tools, and each call goes through policy and approval. Each message is independent: nothing is
 * kept between messages.
 */
import type { JsonObject } from '@permitry/protocol';
import { StrictObject } from '@permitry/protocol/schemas';
import type { FastifyRequest } from 'fastify';
import Type from 'typebox';
import { serveStreams } from '../answers/serve-streams.ts';
import type { GateApp } from '../routes/surface.ts';
import { assertOwnOrigin } from './assert-own-origin.ts';
import { CallsUnderWay } from './calls-under-way.ts';
import { ClientAnswers } from './client-answers.ts';
import { notAllowed, serveStream } from './listen.ts';
import { LogLevels } from './log-levels.ts';
import type { McpParts, McpTools } from './serve-message.ts';
import { TOOL_STREAMS } from './tool-stream.ts';

export const McpQuery = StrictObject({ tool_names: Type.Optional(Type.Literal('plain')) });

export function mcpRoutes(app: GateApp, tools: McpTools): void {
  const issuer = new URL(tools.gate.issuer);
  const streams = serveStreams(app, tools, {
    ...TOOL_STREAMS,
    gauge: 'permitry_mcp_streams',
    help: 'Open streams that notify agents of tool changes.',
    complaint: 'agents could not be notified that their tools changed',
  });
  const parts: McpParts = {
    under: new CallsUnderWay(),
    answers: new ClientAnswers(),
    logLevels: new LogLevels(),
    streams,
  };
  const guard = async (request: FastifyRequest): Promise<void> => assertOwnOrigin(request, issuer);

  // A message is an object. A batch of 2025-03-26 would be many calls that count as one.
  const schema = { body: Type.Object({}, { additionalProperties: true }), querystring: McpQuery, hide: true };
  app.post('/mcp', { schema, onRequest: guard }, async (request, reply) => {
    // Loads the SDK with the first accepted message: it is large, and most gates only use HTTP.
    const { serveMessage } = await import('./serve-message.ts');
    return serveMessage(tools, parts, request, request.body as JsonObject, reply);
  });
  // A stream has no answer without a body, so there is no HEAD route.
  app.get('/mcp', { exposeHeadRoute: false, schema: { hide: true }, onRequest: guard }, (request, reply) =>
    serveStream(tools.gate, streams, request, reply),
  );
  // Sessions are not stored, so there is nothing to end.
  app.delete('/mcp', { schema: { hide: true }, onRequest: guard }, (_request, reply) => notAllowed(reply));
}
