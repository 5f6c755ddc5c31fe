/** How a client begins to hear that its tools changed, in either revision. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Gate } from '../../gate/gate.ts';
import { answerAsEvents } from '../shared/answer-as-events.ts';
import { authenticateAgain } from '../shared/authenticate.ts';
import { whenOver } from '../shared/hung-up.ts';
import { getCaller } from '../shared/request-context.ts';
import { findSession } from './find-session.ts';
import { MODERN_REVISION } from './mcp-server.ts';
import { Subscription } from './subscription.ts';
import type { ToolListeners } from './tool-listeners.ts';
import { ToolStream } from './tool-stream.ts';

/** 2025: a `GET` that stays open. Where none is offered the client goes on without, as it does at servers that have none. */
export async function serveStream(
  gate: Gate,
  listeners: ToolListeners,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { accept = '', 'mcp-protocol-version': version } = request.headers;
  findSession(gate, request);
  if (!accept.includes('text/event-stream') || version === MODERN_REVISION) return notAllowed(reply);
  const stream = new ToolStream();
  const leave = await listeners.join({
    caller: getCaller(request),
    recheck: () => authenticateAgain(gate, request),
    onQuiet: () => stream.beat(),
    onChange: () => stream.tellChange(),
    onEnd: () => stream.end(),
  });
  if (!leave) return notAllowed(reply);
  whenOver(reply, leave);
  return answerAsEvents(reply, stream.readable);
}

/** 2026-07-28: `subscriptions/listen`, whose answer stays open. The SDK says what of it is heard, and keeps it alive. */
export async function subscribe(
  gate: Gate,
  listeners: ToolListeners,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Subscription> {
  const subscription = new Subscription();
  const leave = await listeners.join({
    caller: getCaller(request),
    recheck: () => authenticateAgain(gate, request),
    onQuiet: () => {},
    onChange: () => subscription.tellChange(),
    onEnd: () => subscription.end(),
  });
  if (leave) whenOver(reply, leave);
  else subscription.refuse();
  return subscription;
}

export function notAllowed(reply: FastifyReply): FastifyReply {
  return reply.code(405).header('allow', 'GET, POST').send();
}
