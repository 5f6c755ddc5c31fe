/** Tells MCP clients that their tools changed. A stream is not resumed: a client that reconnects lists its tools. */
import type { EventType } from '@permitry/protocol';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { assertScope } from '../../gate/access/assert-scope.ts';
import { getProgram } from '../../gate/tools/program.ts';
import type { GateParts } from '../../open-gate.ts';
import type { EventStream, StreamWords } from '../../streams/event-stream.ts';
import { type EventStreams, type StreamDoor, USUAL_LIMITS } from '../../streams/event-streams.ts';
import { authenticateAgain } from '../admission/authenticate.ts';
import { getCaller } from '../admission/request-context.ts';
import { whenOver } from '../answers/hung-up.ts';

export const TOOL_STREAMS: StreamDoor = {
  ...USUAL_LIMITS,
  inAll: 2000,
  what: 'tool-change streams at a time',
  whenFull: 'No more tool-change streams can be opened at the moment.',
};
const PER_CREDENTIAL = 50;
const PER_PROJECT = 500;
/** Changes within this time become one message, because each message makes a client list its tools. */
const TOGETHER_MS = 500;

/** Events that change the tools an agent is shown. A newly found tool is not shown until a person approves it. */
const CHANGES: ReadonlySet<EventType> = new Set<EventType>([
  'upstream.tools_approved',
  'upstream.tools_withdrawn',
  'upstream.tools_changed',
  'upstream.updated',
  'upstream.removed',
]);

/**
 * Announces every change that is sealed after the stream began, as long as the credential may call tools.
 *
 * @throws GateError `forbidden` for a caller that has no tools
 * @returns undefined if the limit of streams is reached, or the gate is stopping
 */
export async function openToolStream(
  gate: GateParts,
  streams: EventStreams,
  [request, reply]: readonly [FastifyRequest, FastifyReply],
  words: StreamWords,
): Promise<EventStream | undefined> {
  const { credentialId, projectId } = getProgram(getCaller(request));
  const slots = [
    { name: `credential ${credentialId}`, whose: 'A credential', most: PER_CREDENTIAL },
    { name: `project ${projectId}`, whose: 'A project', most: PER_PROJECT },
  ];
  if (streams.findFull(slots)) return undefined;
  const stream = await streams.open({
    slots,
    reader: credentialId,
    async recheck() {
      assertScope(await authenticateAgain(gate, request), 'intents:create', projectId);
      return undefined;
    },
    projectIds: [projectId],
    begin: (heads) => ({ position: heads, words }),
    types: CHANGES,
    restMs: TOGETHER_MS,
  });
  whenOver(reply, () => stream.cut());
  return stream;
}
