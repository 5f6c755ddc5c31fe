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

/** `seq` of an event. 0: before the first. */
const SEQ = /^(0|[1-9][0-9]{0,14})$/;

const DESCRIPTION = `Server-sent events (\`text/event-stream\`, WHATWG HTML §9.2), for programs. Sends every sealed event of the audit log once, in order, with
the audit route's representation as \`data\` and its \`seq\` as \`id\`. Events contain no permit tokens and no parameters.

* The stream begins with new events. With \`after\` or the header \`Last-Event-ID\`, which takes precedence, it first sends everything after that event.
  A reader that is cut off reconnects to any gate with the last ID and misses nothing.
* Comments and messages with only an \`id\` keep the connection alive. With a filter, the \`id\` says how far the log was searched.
* A last message \`event: end\` has \`{"reason"}\` as its data: \`credential\` (revoked, expired, or no longer valid for this project; sent within a second),
  \`unavailable\`, \`shutdown\` (this gate is stopping), \`caught_up\` (\`follow=false\`). After \`caught_up\`, do not reconnect.
* A credential has at most 10 streams at a time, a person 100 with all their credentials, a project 500 (429). A reader that takes nothing for 30 seconds is cut off.`;

/** Streams a project's events to programs as they are sealed. */
export function eventRoutes(app: GateApp, tools: RouteTools): void {
  const { gate } = tools;
  const streams = serveStreams(app, tools, {
    ...PROGRAMS,
    gauge: 'permitry_event_streams',
    help: 'Open event streams of programs.',
    complaint: 'events could not be sent to programs',
  });

  // A stream's answer always has a body, so there is no HEAD route.
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
              description: '`seq` of the last event that the reader has; 0 starts with the first event.',
            }),
          ),
          follow: Type.Optional(
            Type.Enum(['true', 'false'], {
              description:
                'false: the stream ends after the existing events. Without `after` there are none.',
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
  throw invalidFields({ path: '/last-event-id', message: 'Must be the ID of an event of this stream.' });
}
