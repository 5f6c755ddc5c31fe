import type { FastifyReply } from 'fastify';

/** Aborts when the client goes away before it has been answered. */
export function hungUpSignal(reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  whenOver(reply, () => {
    if (!reply.raw.writableFinished) controller.abort();
  });
  return controller.signal;
}

/** Once the client has been answered or has gone, also if it has gone already. */
export function whenOver(reply: FastifyReply, then: () => void): void {
  if (reply.raw.closed) then();
  else reply.raw.once('close', then);
}
