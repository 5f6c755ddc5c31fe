import { EventStreams, type StreamDoor } from '../../streams/event-streams.ts';
import type { GateApp, RouteTools } from '../routes/surface.ts';

export type StreamTools = Pick<RouteTools, 'tails' | 'logger' | 'metrics'>;

/** Opens the streams of one door: counts them in the metrics, and ends them before the server waits for answers under way. */
export function serveStreams(
  app: GateApp,
  { tails, logger, metrics }: StreamTools,
  { gauge, help, complaint, ...door }: StreamDoor & { gauge: string; help: string; complaint: string },
): EventStreams {
  const streams = new EventStreams(tails, (error) => logger.warn({ err: error }, complaint), door);
  metrics?.gauge(gauge, help, () => streams.count);
  // Otherwise a stopping server would wait forever for an open stream.
  app.addHook('preClose', (done) => {
    streams.close();
    done();
  });
  return streams;
}
