import type { FastifyInstance } from 'fastify';

declare module 'fastify' {
  interface FastifyRequest {
    /** The turn of the event loop in which the request came. */
    cameInTurn: number;
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
  let turn = 0;
  let endComes = false;
  let held: (() => void)[] = [];

  function endTurn(): void {
    turn += 1;
    endComes = false;
    const ready = held;
    held = [];
    for (const send of ready) send();
  }

  app.decorateRequest('cameInTurn', 0);
  app.addHook('onRequest', (request, _reply, done) => {
    request.cameInTurn = turn;
    if (!endComes) setImmediate(endTurn);
    endComes = true;
    done();
  });
  app.addHook('onSend', (request, _reply, payload, done) => {
    if (request.cameInTurn === turn && endComes) held.push(() => done(null, payload));
    else done(null, payload);
  });
}
