import { LiveStreams } from '../../streams/live-streams.ts';
import { answerAsEvents } from '../answers/answer-as-events.ts';
import type { GateApp } from '../routes/surface.ts';
import type { ConsoleTools } from './console-tools.ts';
import { getPerson } from './get-person.ts';

const LONGEST_EVENT_ID = 10_000;

/** What happens, told to open pages as server-sent events. */
export function streamRoutes(app: GateApp, { gate, logger, metrics }: ConsoleTools): void {
  const streams = new LiveStreams(gate, (error) =>
    logger.warn({ err: error }, 'open pages could not be told what happened'),
  );
  metrics?.gauge('permitry_page_streams', 'Open pages that are told what happens.', () => streams.count);
  // Before the server waits for answers under way: a stream is one that would never end.
  app.addHook('preClose', (done) => {
    streams.close();
    done();
  });

  // A stream has no answer without its body, so there is no HEAD of it.
  app.get('/stream', { exposeHeadRoute: false }, async (request, reply) => {
    const { 'last-event-id': given } = request.headers;
    const lastEventId = typeof given === 'string' && given.length <= LONGEST_EVENT_ID ? given : undefined;
    const stream = await streams.open(getPerson(request), lastEventId);
    return answerAsEvents(reply, stream.readable);
  });
}
