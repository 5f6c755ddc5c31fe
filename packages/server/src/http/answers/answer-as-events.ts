import type { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';

/** Answers with a stream of server-sent events (WHATWG HTML §9.2). */
export function answerAsEvents(reply: FastifyReply, events: Readable): FastifyReply {
  // Proxies that collect answers before they pass them on would keep a stream for good.
  reply.header('x-accel-buffering', 'no');
  // Nothing else comes on it, and a gate that stops waits for no connection to be closed by its reader.
  reply.header('connection', 'close');
  return reply.type('text/event-stream; charset=utf-8').send(events);
}
