/** A server in a process of its own, pinned to one core, that tells its figures when asked. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';

export interface ChildServer<Hello> {
  hello: Hello;
  pid: number;
  /** Whatever the server tells of itself. */
  ask(): Promise<{ commits: number }>;
  /** Seconds of CPU, all threads. */
  cpuSeconds(): number;
  /** Resident, in megabytes. */
  memoryMb(): number;
  stop(): Promise<void>;
}

/** Called in the child: says that it listens, then answers every question. */
export function announce(hello: object, tell: () => { commits: number }): void {
  process.on('message', () => process.send?.(tell()));
  process.once('disconnect', () => process.exit(0));
  process.send?.(hello);
}

const CLOCK_TICKS = 100;

export async function startChild<Hello>(
  script: string,
  core: number,
  env: Record<string, string> = {},
  nodeOptions: readonly string[] = [],
): Promise<ChildServer<Hello>> {
  const child: ChildProcess = fork(script, {
    // `taskset` binds the process and every thread it makes later.
    execPath: 'taskset',
    execArgv: ['-c', String(core), process.execPath, ...nodeOptions],
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const [hello] = (await once(child, 'message')) as [Hello];
  const pid = child.pid ?? 0;
  return {
    hello,
    pid,
    ask: async () => {
      child.send('tell');
      const [figures] = (await once(child, 'message')) as [{ commits: number }];
      return figures;
    },
    cpuSeconds: () => {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      return (Number(fields[11]) + Number(fields[12])) / CLOCK_TICKS;
    },
    memoryMb: () => {
      const resident = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
      return Number(resident?.[1] ?? 0) / 1024;
    },
    stop: async () => {
      if (child.exitCode !== null) return;
      child.disconnect();
      await once(child, 'exit');
    },
  };
}
