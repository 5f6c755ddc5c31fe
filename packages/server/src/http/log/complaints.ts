import type { Logger } from 'pino';
import { GateError } from '../../gate/kernel/errors.ts';

/** A dozen background jobs retry every second while the database is away. All their messages would fill a disk. */
const SILENT_MS = 30_000;
/** The most messages to remember. Some of them name a project, so there may be many. */
const MOST_KEPT = 1000;

/**
 * Logs failures that no answer reports. When something is temporarily unavailable (the database, a token), each job
 * writes one line per half minute. The next line says how many were suppressed (`unsaid`). Other failures are always
 * logged.
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
