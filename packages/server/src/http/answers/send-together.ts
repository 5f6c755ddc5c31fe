import type { FastifyInstance } from 'fastify';

declare module 'fastify' {
  interface FastifyRequest {
    /** The turn of the event loop in which the request came. */
    cameInTick: number;
  }
}

/**
 * Sends answers that are ready in the turn of the event loop in which they were asked for one right after another, at
 * its end. An answer sent by itself wakes its receiver before the next request is even looked at, and that costs the
 * sender more than reading an intent does. No answer waits longer than the turn.
 *
 * Those that waited for a commit are not held up again: they become ready together anyway, and held they would fall
 * behind the next group, which would then be two of half the size.
 */
export function sendTogether(app: FastifyInstance): void {
  let tick = 0;
  let endComes = false;
  let waiting: (() => void)[] = [];

  function endTick(): void {
    tick += 1;
    endComes = false;
    const ready = waiting;
    waiting = [];
    for (const send of ready) send();
  }

  app.decorateRequest('cameInTurn', 0);
  app.addHook('onRequest', (request, _reply, done) => {
    request.cameInTick = tick;
    if (!endComes) setImmediate(endTick);
    endComes = true;
    done();
  });
  app.addHook('onSend', (request, _reply, payload, done) => {
    if (request.cameInTick === tick && endComes) waiting.push(() => done(null, payload));
    else done(null, payload);
  });
}
