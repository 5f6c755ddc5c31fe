import { answerAsEvents } from '../answers/answer-as-events.ts';
import { serveStreams } from '../answers/serve-streams.ts';
import type { GateApp } from '../routes/surface.ts';
import type { ConsoleTools } from './console-tools.ts';
import { getPerson } from './get-person.ts';
import { openPageStream, PAGES } from './page-stream.ts';

const LONGEST_EVENT_ID = 10_000;

/** Sends events to open pages as server-sent events. */
export function streamRoutes(app: GateApp, tools: ConsoleTools): void {
  const streams = serveStreams(app, tools, {
    ...PAGES,
    gauge: 'permitry_page_streams',
    help: 'Open pages that receive live updates.',
    complaint: 'open pages could not be updated',
  });

  // A stream's answer always has a body, so there is no HEAD route.
  app.get('/stream', { exposeHeadRoute: false }, async (request, reply) => {
    const { 'last-event-id': given } = request.headers;
    const lastEventId = typeof given === 'string' && given.length <= LONGEST_EVENT_ID ? given : undefined;
    const stream = await openPageStream(streams, tools.gate, getPerson(request), lastEventId);
    return answerAsEvents(reply, stream.readable);
  });
}
