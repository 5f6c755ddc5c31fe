/** How a client of 2025 begins to hear that its tools changed. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { assertScope } from '../../gate/access/assert-scope.ts';
import { getProgram } from '../../gate/tools/program.ts';
import type { GateParts } from '../../open-gate.ts';
import { authenticateAgain } from '../admission/authenticate.ts';
import { getCaller } from '../admission/request-context.ts';
import { answerAsEvents } from '../answers/answer-as-events.ts';
import { whenOver } from '../answers/hung-up.ts';
import { findSession } from './find-session.ts';
import { MODERN_REVISION } from './revisions.ts';
import { StreamReader } from './stream-reader.ts';
import type { ToolListeners } from './tool-listeners.ts';
import { ToolStream } from './tool-stream.ts';

/** 2025: a `GET` that stays open. Where none is offered the client goes on without, as it does at servers that have none. */
export async function serveStream(
  gate: GateParts,
  listeners: ToolListeners,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { accept = '', 'mcp-protocol-version': version } = request.headers;
  findSession(gate, request);
  if (!accept.includes('text/event-stream') || version === MODERN_REVISION) return notAllowed(reply);
  const stream = new ToolStream();
  const reader = new StreamReader(reply.raw);
  const leave = await listeners.join({
    caller: getCaller(request),
    recheck: () => recheck(gate, request),
    onQuiet: () => {
      if (reader.poll()) stream.beat();
    },
    onChange: () => reader.tell(() => stream.notifyChange()),
    onEnd: () => reader.end(() => stream.end()),
  });
  if (!leave) return notAllowed(reply);
  whenOver(reply, leave);
  return answerAsEvents(reply, stream.readable);
}

/** What held when it began still holds: the credential, and that who has it is shown tools. */
export async function recheck(gate: GateParts, request: FastifyRequest): Promise<void> {
  const { projectId } = getProgram(getCaller(request));
  assertScope(await authenticateAgain(gate, request), 'intents:create', projectId);
}

export function notAllowed(reply: FastifyReply): FastifyReply {
  return reply.code(405).header('allow', 'GET, POST').send();
}
