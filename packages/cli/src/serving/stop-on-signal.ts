import type { RunningServer } from '@permitry/server/serve';
import { whenStarterEnds } from '../starter.ts';

/** Ctrl-C under `npm start` arrives twice, once from the terminal and once from npm: that is one wish, not two. */
const ONE_WISH_MS = 500;
/** The server's own limit, once it takes no more requests, is below five seconds; whatever hangs beyond that is cut. */
const LAST_RESORT_MS = 4900;
/** What still holds the process when the gate is closed is of no use to anybody, e.g. spans that a collector does not take. */
const LINGER_MS = 300;

/** A terminal that is closed sends SIGHUP. */
const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

/**
 * On the first SIGTERM, SIGINT or SIGHUP, or when the npm or launcher that started it ends, the server answers what is under way
 * and closes; resolves then. A second signal ends the process at once with exit code 1.
 *
 * @param servesOnSeconds How long the server serves on before it begins to stop.
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
      say('permitry: stopping; once more to force');
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
      say(`permitry: stopped before everything was done: ${why}`);
      process.exit(1);
    };
    whenStarterEnds(stop);
    for (const signal of SIGNALS) process.on(signal, onSignal);
  });
}
