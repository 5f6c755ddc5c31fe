import type { FastifyInstance } from 'fastify';

/**
 * Sends answers that become ready together one right after another: those of requests that came in one turn of the event
 * loop, or waited for one commit. An answer sent by itself wakes its receiver before the next request is even looked
 * at, and that costs the sender more than reading an intent does. No answer waits longer than for what is ready to run.
 */
export function sendTogether(app: FastifyInstance): void {
  let ready: (() => void)[] = [];

  function sendAll(): void {
    const all = ready;
    ready = [];
    for (const send of all) send();
  }

  app.addHook('onSend', (_request, _reply, payload, done) => {
    // After all promises that are settled by now: they lead to the other answers.
    if (ready.length === 0) process.nextTick(sendAll);
    ready.push(() => done(null, payload));
  });
}
