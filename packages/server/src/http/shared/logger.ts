import pino, { type DestinationStream, type Logger } from 'pino';
import { scrub, scrubText } from './scrub.ts';

export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/**
 * The gate's log: JSON lines, without any secret. Scrubbing looks at every member and text of every line rather than
 * at listed paths, since what nobody thought of is what leaks.
 *
 * @param destination Standard output when left out.
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
      // `scrub` has made plain objects of errors already.
      serializers: { err: (error) => error },
      hooks: {
        logMethod(args, method) {
          method.apply(
            this,
            args.map((arg) => (typeof arg === 'string' ? scrubText(arg) : arg)) as typeof args,
          );
        },
      },
    },
    destination ?? pino.destination(1),
  );
}
