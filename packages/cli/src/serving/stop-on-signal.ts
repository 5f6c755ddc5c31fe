import type { RunningServer } from '@permitry/server/serve';
import { whenStarterEnds } from '../starter.ts';

/** Ctrl-C under `npm start` arrives twice, once from the terminal and once from npm. Both count as one. */
const ONE_WISH_MS = 500;
/**
 * After the server stops accepting requests, its own limit is below five seconds. Anything that hangs longer is cut
 * off.
 */
const LAST_RESORT_MS = 4900;
/**
 * After the gate is closed, nothing that still keeps the process alive is needed, e.g. spans that a collector does not
 * accept.
 */
const LINGER_MS = 300;

/** A terminal that is closed sends SIGHUP. */
const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

/**
 * Stops on the first SIGTERM, SIGINT or SIGHUP, or when the npm or launcher that started the process ends. Resolves
 * after the server has answered the requests under way and closed. A second signal ends the process immediately with
 * exit code 1.
 *
 * @param servesOnSeconds How long the server keeps serving before it begins to stop.
 */
export function stopOnSignal(
  server: RunningServer,
  say: (line: string) => void,
  servesOnSeconds = 0,
): Promise<void> {
  return new Promise((resolve, reject) => {
    let askedAt: number | undefined;
    const stop = (): void => {
      if (askedAt !== undefined) return;
      askedAt = performance.now();
      say('permitry: stopping; a second signal stops it at once');
      const lastResort = setTimeout(
        () => cut('it took too long'),
        LAST_RESORT_MS + servesOnSeconds * 1000,
      ).unref();
      server.close().then(() => {
        clearTimeout(lastResort);
        for (const signal of SIGNALS) process.off(signal, onSignal);
        setTimeout(() => process.exit(), LINGER_MS).unref();
        resolve();
      }, reject);
    };
    const onSignal = (): void => {
      if (askedAt === undefined) stop();
      else if (performance.now() - askedAt > ONE_WISH_MS) cut('forced');
    };
    const cut = (why: string): never => {
      say(`permitry: stopped before all requests were answered: ${why}`);
      process.exit(1);
    };
    whenStarterEnds(stop);
    for (const signal of SIGNALS) process.on(signal, onSignal);
  });
}
