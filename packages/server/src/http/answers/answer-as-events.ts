import type { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';

/** Answers with a stream of server-sent events (WHATWG HTML §9.2). */
export function answerAsEvents(reply: FastifyReply, events: Readable): FastifyReply {
  // Proxies that buffer answers would delay a stream forever.
  reply.header('x-accel-buffering', 'no');
  // No other answer uses this connection, so a stopping gate need not wait for the reader to close it.
  reply.header('connection', 'close');
  return reply.type('text/event-stream; charset=utf-8').send(events);
}
