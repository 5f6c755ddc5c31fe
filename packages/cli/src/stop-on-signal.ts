import type { RunningServer } from '@permitry/server';

/** Ctrl-C under `npm start` arrives twice, once from the terminal and once from npm: that is one wish, not two. */
const ONE_WISH_MS = 500;
/** The server's own limit is below five seconds; whatever hangs beyond that is cut. */
const LAST_RESORT_MS = 4900;

/**
 * On the first SIGTERM or SIGINT the server answers what is under way and closes; resolves then. A second one ends
 * the process at once with exit code 1.
 */
export function stopOnSignal(server: RunningServer, say: (line: string) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    let askedAt: number | undefined;
    const onSignal = (): void => {
      const now = performance.now();
      if (askedAt === undefined) {
        askedAt = now;
        say('permitry: stopping; once more to force');
        setTimeout(() => cut('it took too long'), LAST_RESORT_MS).unref();
        server.close().then(() => {
          process.off('SIGTERM', onSignal);
          process.off('SIGINT', onSignal);
          resolve();
        }, reject);
      } else if (now - askedAt > ONE_WISH_MS) {
        cut('forced');
      }
    };
    const cut = (why: string): never => {
      say(`permitry: stopped before everything was done: ${why}`);
      process.exit(1);
    };
    if (process.env.npm_command !== undefined) whenParentEnds(onSignal);
    process.on('SIGTERM', onSignal);
    process.on('SIGINT', onSignal);
  });
}

const LOOK_EVERY_MS = 300;

/** npm and npx do not pass a SIGTERM on to what they started; that they are gone is all there is to notice. */
function whenParentEnds(act: () => void): void {
  const parent = process.ppid;
  const looking = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(looking);
    act();
  }, LOOK_EVERY_MS);
  looking.unref();
}
