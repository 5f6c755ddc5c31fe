import pino, { type DestinationStream, type Logger } from 'pino';
import type { LogLevel } from '../../settings/setting-forms.ts';
import { scrub, scrubText } from './scrub.ts';

/**
 * The gate's log: JSON lines without any secret. Scrubs every member and text of every line instead of listed paths,
 * because secrets leak through unexpected paths.
 *
 * @param destination Default: standard output.
 */
export function createLogger(level: LogLevel, destination?: DestinationStream): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: {
        level: (label) => ({ level: label }),
        log: (line) => scrub(line) as Record<string, unknown>,
      },
      // `scrub` has already made plain objects of errors.
      serializers: { err: (error) => error },
      hooks: {
        logMethod(args, method) {
          const [first, ...rest] = args as [unknown, ...unknown[]];
          // For a lone error, pino would use the error's message as the line's message, unscrubbed.
          const line = first instanceof Error ? [{ err: first }, first.message, ...rest] : [first, ...rest];
          method.apply(
            this,
            line.map((part, index) => (index === 0 ? scrubLine(part) : scrub(part))) as typeof args,
          );
        },
      },
    },
    destination ?? pino.destination(1),
  );
}

/** Objects are scrubbed when they are formatted. */
function scrubLine(part: unknown): unknown {
  return typeof part === 'string' ? scrubText(part) : part;
}
