/** Ensures that neither processes nor files outlive the demo, however it ends. */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

export interface Leftovers {
  /** A directory that is removed at the end. */
  directory: string;
  add(child: ChildProcess): void;
  /** Ends the demo. */
  end(exitCode: number): Promise<never>;
}

/** Also ends the demo on a signal, including Ctrl-C. */
export function clearLeftovers(): Leftovers {
  const directory = mkdtempSync(join(tmpdir(), 'permitry-demo-'));
  const children: ChildProcess[] = [];
  async function end(exitCode: number): Promise<never> {
    // The processes end before the directory is removed, because a running process would write to it again.
    await Promise.all(children.filter(isRunning).map(kill));
    rmSync(directory, { recursive: true, force: true });
    process.exit(exitCode);
  }
  for (const signal of SIGNALS) process.on(signal, () => void end(128 + constants.signals[signal]));
  return { directory, add: (child) => children.push(child), end };
}

function isRunning(child: ChildProcess): boolean {
  return child.pid !== undefined && child.exitCode === null && child.signalCode === null;
}

async function kill(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}
