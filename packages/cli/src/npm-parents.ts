/**
 * npm and npx pass no SIGTERM on: they end, at best with the shell between them and us, and leave a gate behind that
 * nobody knows of. That they are gone is all there is to notice.
 */
import { readFileSync } from 'node:fs';

const LOOK_EVERY_MS = 250;

const atStart = startedByNpm(process.env) ? parents() : null;

/** Acts once when npm, or its shell, has ended since this process began; never when npm did not start it. */
export function whenNpmEnds(act: () => void): void {
  if (atStart === null) return;
  const looking = setInterval(() => {
    if (parents() === atStart) return;
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
function parents(): string {
  const parent = process.ppid;
  return `${parent} ${parentOf(parent) ?? ''}`;
}

function parentOf(pid: number): string | undefined {
  try {
    // "pid (name) state ppid …" (proc(5)); a name may hold anything, so count from its end.
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1];
  } catch {
    return undefined;
  }
}
