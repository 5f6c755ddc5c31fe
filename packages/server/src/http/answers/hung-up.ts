import type { FastifyReply } from 'fastify';

/** Aborts when the client goes away before it gets an answer. */
export function hungUpSignal(reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  whenOver(reply, () => {
    if (!reply.raw.writableFinished) controller.abort();
  });
  return controller.signal;
}

/** Calls `then` when the client has its answer or has gone. If that is so already, calls it immediately. */
export function whenOver(reply: FastifyReply, then: () => void): void {
  if (reply.raw.closed) then();
  else reply.raw.once('close', then);
}
