/** Opens the stream on which a 2025 client learns that its tools changed. The stream belongs to no call. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { GateParts } from '../../open-gate.ts';
import type { StreamWords } from '../../streams/event-stream.ts';
import type { EventStreams } from '../../streams/event-streams.ts';
import { answerAsEvents } from '../answers/answer-as-events.ts';
import { findSession } from './find-session.ts';
import { MODERN_REVISION } from './revisions.ts';
import { openToolStream } from './tool-stream.ts';

const CHANGED = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });

const WORDS: StreamWords = {
  // The stream starts with a comment, because the headers are sent only with the first bytes of the body.
  hello: () => ':\n\n',
  tell: () => `event: message\ndata: ${CHANGED}\n\n`,
  beat: () => ':\n\n',
  goodbye: () => '',
};

/**
 * 2025: a `GET` that stays open. A client that gets no stream works without it, as with any server that offers none.
 */
export async function serveStream(
  gate: GateParts,
  streams: EventStreams,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { accept = '', 'mcp-protocol-version': version } = request.headers;
  findSession(gate, request);
  if (!accept.includes('text/event-stream') || version === MODERN_REVISION) return notAllowed(reply);
  const stream = await openToolStream(gate, streams, [request, reply], WORDS);
  return stream ? answerAsEvents(reply, stream.readable) : notAllowed(reply);
}

export function notAllowed(reply: FastifyReply): FastifyReply {
  return reply.code(405).header('allow', 'GET, POST').send();
}
