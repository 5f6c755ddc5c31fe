import { StrictObject } from '@permitry/protocol/schemas';
import type { FastifyRequest } from 'fastify';
import Type from 'typebox';
import { assertScope } from '../../gate/access/assert-scope.ts';
import { invalidFields } from '../../gate/kernel/invalid-fields.ts';
import { unknownProject } from '../../gate/kernel/not-found.ts';
import { authenticateAgain } from '../admission/authenticate.ts';
import { getCaller } from '../admission/request-context.ts';
import { answerAsEvents } from '../answers/answer-as-events.ts';
import { serveStreams } from '../answers/serve-streams.ts';
import { ItemPath } from '../routes/route-schemas.ts';
import type { GateApp, RouteTools } from '../routes/surface.ts';
import { EventTypesFilter, toEventTypes } from './event-types.ts';
import { openProgramStream, PROGRAMS } from './program-stream.ts';

/** `seq` of an event; 0: before the first. */
const SEQ = /^(0|[1-9][0-9]{0,14})$/;

const DESCRIPTION = `Server-sent events (\`text/event-stream\`, WHATWG HTML §9.2), for programs: every sealed event of the audit log, in order, each once, as
\`data\` what the audit route shows of it and as \`id\` its \`seq\`. No permit tokens, no parameters.

* From now on, unless \`after\` or the header \`Last-Event-ID\`, which wins, says how far the reader has come: then everything after that first.
  Whoever is cut off reconnects, to any gate, with the last id, and misses nothing.
* Comments and lines with an \`id\` alone keep the connection alive; with a filter they say how far it has looked.
* A last message \`event: end\` has \`{"reason"}\` as its data: \`credential\` (revoked, expired, or not of this project any more: within a second),
  \`unavailable\`, \`shutdown\` (this gate stops), \`caught_up\` (\`follow=false\`). After the last one, do not reconnect.
* A credential has at most ten streams at a time, a person with all of theirs 100, a project 500 (429); a reader that takes nothing for 30 seconds is cut off.`;

/** What happens in a project, told to programs as it is sealed. */
export function eventRoutes(app: GateApp, tools: RouteTools): void {
  const { gate } = tools;
  const streams = serveStreams(app, tools, {
    ...PROGRAMS,
    gauge: 'permitry_event_streams',
    help: 'Programs that follow events.',
    complaint: 'programs could not be told what happened',
  });

  // A stream has no answer without its body, so there is no HEAD of it.
  app.get(
    '/projects/:id/events',
    {
      exposeHeadRoute: false,
      schema: {
        operationId: 'streamEvents',
        summary: 'Follow the events of a project as they are sealed',
        description: DESCRIPTION,
        tags: ['Surface B: audit'],
        params: ItemPath,
        querystring: StrictObject({
          type: Type.Optional(EventTypesFilter),
          after: Type.Optional(
            Type.Integer({
              minimum: 0,
              description: '`seq` of the last event already known; 0: from the first on.',
            }),
          ),
          follow: Type.Optional(
            Type.Enum(['true', 'false'], {
              description: 'false: ends once it has told what there is; nothing without `after`.',
            }),
          ),
        }),
        response: {
          200: {
            description: 'The stream',
            content: { 'text/event-stream': { schema: Type.String() } },
          },
        },
      },
    },
    async (request, reply) => {
      const projectId = request.params.id;
      const { type, after, follow } = request.query;
      if (!(await gate.storage.read.findProject(projectId))) throw unknownProject();
      const stream = await openProgramStream(streams, {
        caller: getCaller(request),
        projectId,
        after: lastEventId(request) ?? after,
        types: type === undefined ? undefined : new Set(toEventTypes(type)),
        follows: follow !== 'false',
        async recheck() {
          assertScope(await authenticateAgain(gate, request), 'audit:read', projectId);
          return undefined;
        },
      });
      return answerAsEvents(reply, stream.readable);
    },
  );
}

function lastEventId(request: FastifyRequest): number | undefined {
  const given = request.headers['last-event-id'];
  if (given === undefined || given === '') return undefined;
  if (typeof given === 'string' && SEQ.test(given)) return Number(given);
  throw invalidFields({ path: '/last-event-id', message: 'Must be the id of an event of this stream.' });
}
