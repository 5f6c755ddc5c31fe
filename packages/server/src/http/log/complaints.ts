import type { Logger } from 'pino';
import { GateError } from '../../gate/kernel/errors.ts';

/** A dozen chores try again each second while the database is away: with all they say, a log would fill a disk. */
const SILENT_MS = 30_000;
/** Some name a project. */
const MOST_KEPT = 1000;

/**
 * Logs what failed that nobody is told of by an answer. Of what cannot be used just now (the database, a token), each chore says one line in half a
 * minute, and in the next one how often it said nothing (`unsaid`); of everything else, each time.
 */
export function complainTo(
  logger: Pick<Logger, 'error'>,
  now: () => number = () => performance.now(),
): (error: unknown, what: string) => void {
  const said = new Map<string, { at: number; unsaid: number }>();
  return (error, what) => {
    if (!(error instanceof GateError) || error.code !== 'service_unavailable') {
      logger.error({ err: error }, what);
      return;
    }
    const last = said.get(what);
    if (last && now() - last.at < SILENT_MS) {
      last.unsaid++;
      return;
    }
    if (said.size >= MOST_KEPT) said.clear();
    said.set(what, { at: now(), unsaid: 0 });
    logger.error({ err: error, ...(last?.unsaid ? { unsaid: last.unsaid } : {}) }, what);
  };
}
