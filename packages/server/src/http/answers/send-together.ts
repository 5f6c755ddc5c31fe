import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';

/**
 * Sends answers that become ready at the same time one right after another. Such answers belong to requests in one turn
 * of the event loop, or waited for one commit. An answer sent alone wakes its receiver before the next request is
 * handled, which costs the sender more than reading an intent does. No answer waits for the network or the disk.
 */
export function sendTogether(app: FastifyInstance, logger: Pick<Logger, 'error'>): void {
  let ready: (() => void)[] = [];

  function sendAll(): void {
    const all = ready;
    ready = [];
    for (const send of all) send();
  }

  app.addHook('onSend', (request, reply, payload, done) => {
    // Runs after the callbacks of all promises that are already resolved, because these produce the other answers.
    if (ready.length === 0) process.nextTick(sendAll);
    ready.push(() => {
      try {
        done(null, payload);
      } catch (err) {
        // A failure must not prevent the other answers.
        logger.error({ err, request_id: request.id }, 'an answer could not be sent');
        reply.raw.destroy();
      }
    });
  });
}
