/**
 * Owns the bond with whoever started this process. npm and npx pass no SIGTERM on: they end, at best with the shell
 * between them and us, and leave a gate behind that nobody knows of. That they are gone is all there is to notice.
 */
import { readFileSync } from 'node:fs';

const LOOK_EVERY_MS = 250;

const atStart = startedByNpm(process.env) ? parents() : null;
/** They may have ended while Node itself was starting. */
const goneAtStart = atStart?.includes(1) === true && !/npm|npx|node|yarn|bun|sh\b/.test(commandOf(1));

/**
 * Acts when npm, its shell, or the launcher that found a newer Node (`bin/permitry.js`) has ended since this process
 * began; never when a person or a supervisor started it.
 */
export function whenStarterEnds(act: () => void): void {
  if (process.connected) {
    process.once('disconnect', act);
    process.channel?.unref();
  }
  if (atStart === null) return;
  const looking = setInterval(() => {
    if (!goneAtStart && parents().every((pid, place) => pid === atStart[place])) return;
    clearInterval(looking);
    act();
  }, LOOK_EVERY_MS);
  looking.unref();
}

/**
 * npm's variables reach everything below it; only where the script is this command is npm its keeper. A script that
 * ends in `&` leaves it running on purpose.
 */
function startedByNpm({ npm_lifecycle_script: script = '' }: NodeJS.ProcessEnv): boolean {
  return /\bpermitry\b/.test(script) && !/&\s*$/.test(script);
}

/** Whoever started us and whoever started them: the shell, and npm. Where there is no /proc, the shell alone. */
function parents(): readonly (number | null)[] {
  const parent = process.ppid;
  // "pid (name) state ppid …" (proc(5)); a name may hold anything, so count from its end.
  const stat = readProc(`${parent}/stat`);
  const grandparent = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1];
  return [parent, grandparent === undefined ? null : Number(grandparent)];
}

function commandOf(pid: number): string {
  return readProc(`${pid}/cmdline`).replaceAll('\0', ' ');
}

function readProc(path: string): string {
  try {
    return readFileSync(`/proc/${path}`, 'latin1');
  } catch {
    return '';
  }
}
