import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/**
 * Sends the answers that become ready in one turn of the event loop one right after another, at its end. Each answer
 * sent by itself wakes whoever waits for it, and that costs the sender more than many a request does; those after the
 * first find the receiver awake. No answer waits longer than the turn.
 */
export function sendTogether(app: FastifyInstance): void {
  let held: Socket[] = [];
  const flush = (): void => {
    const sockets = held;
    held = [];
    for (const socket of sockets) socket.uncork();
  };
  app.addHook('onSend', (_request, reply, payload, done) => {
    const { socket } = reply.raw;
    if (socket && !socket.destroyed) {
      socket.cork();
      if (held.push(socket) === 1) setImmediate(flush);
    }
    done(null, payload);
  });
}
