/**
 * Owns the connection to the process that started this one. npm and npx do not forward SIGTERM. They end, at best
 * together with the shell between them and us, and leave a gate running that nobody knows about. Their end is the only
 * sign of the signal.
 */
import { readFileSync } from 'node:fs';

const POLL_EVERY_MS = 250;
const NPM = /^(npm|npx)\b|\/npm-cli\.js|\/npx-cli\.js/;
const STARTERS = /npm|npx|node|yarn|bun|sh\b/;

const atStart = startedByNpm(process.env) ? parents() : null;
/** npm and its shell may have ended while Node was starting. Our parent, or its parent, is then PID 1. */
const goneAtStart = atStart?.includes(1) === true && !STARTERS.test(commandOf(1));

/**
 * Acts when npm, its shell, or the launcher that found a newer Node (`bin/permitry.js`) has ended since this process
 * began. Never acts when a person or a supervisor started it.
 */
export function whenStarterEnds(act: () => void): void {
  if (process.connected) {
    process.once('disconnect', act);
    process.channel?.unref();
  }
  if (atStart === null) return;
  const polling = setInterval(() => {
    const now = parents();
    if (!goneAtStart && atStart.every((pid, index) => pid === now[index])) return;
    clearInterval(polling);
    act();
  }, POLL_EVERY_MS);
  polling.unref();
}

/**
 * All processes below npm inherit its variables. npm supervises this process only if the script is this command. A
 * script that ends in `&` leaves it running on purpose.
 */
function startedByNpm({ npm_lifecycle_script: script = '' }: NodeJS.ProcessEnv): boolean {
  return /\bpermitry\b/.test(script) && !/&\s*$/.test(script);
}

/**
 * The processes that started us, up to npm: only npm if its shell was replaced by us, otherwise the shell and npm.
 * Processes above npm do not matter. Without /proc, only our parent.
 */
function parents(): readonly (number | null)[] {
  const parent = process.ppid;
  if (NPM.test(commandOf(parent))) return [parent];
  // "pid (name) state ppid …" (proc(5)). A name may contain anything, so count from its end.
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
