/** A server in a process of its own, pinned to one core, that tells its figures when asked. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';

/** What a server tells of itself, counted since it started. */
interface Figures {
  /** Durable commits of its storage. */
  commits: number;
  /** Microseconds of CPU, all threads. */
  cpuMicros: number;
  /** Megabytes V8 holds for objects, used or not. The rest of what is the process's own is SQLite's and Node's. */
  heapMb: number;
}

/** Megabytes. */
interface Memory {
  resident: number;
  /** Of these, what is its own: heap and caches. */
  own: number;
  /** Of these, pages of files it has mapped, which the kernel may take back at any time. */
  ofFiles: number;
  /** The most that was resident since the last `forgetPeak`. */
  peak: number;
}

export interface ChildServer {
  port: number;
  pid: number;
  ask(): Promise<Figures>;
  memory(): Memory;
  forgetPeak(): void;
  stop(): Promise<void>;
}

/** Called in the child: says that it listens, then answers every question. */
export function announce(port: number, commits: () => number): void {
  process.on('message', () => {
    const { user, system } = process.cpuUsage();
    const heapMb = process.memoryUsage().heapTotal / 1024 ** 2;
    process.send?.({ commits: commits(), cpuMicros: user + system, heapMb } satisfies Figures);
  });
  process.send?.({ port });
}

export interface ChildOptions {
  core: number;
  args?: readonly string[];
  env?: Record<string, string>;
  nodeOptions?: readonly string[];
}

/** Starts `script`, which has to `announce` itself. */
export async function startChild(script: string, options: ChildOptions): Promise<ChildServer> {
  const { core, args = [], env = {}, nodeOptions = [] } = options;
  const child: ChildProcess = fork(script, args, {
    // `taskset` binds the process and every thread it makes later.
    execPath: 'taskset',
    execArgv: ['-c', String(core), process.execPath, ...nodeOptions],
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const [hello] = await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(() => Promise.reject(new Error(`${script} ended before it listened`))),
  ]);
  const pid = child.pid ?? 0;
  return {
    port: (hello as { port: number }).port,
    pid,
    ask: async () => {
      child.send('tell');
      const [figures] = (await once(child, 'message')) as [Figures];
      return figures;
    },
    memory: () => readMemory(pid),
    // See proc_pid_clear_refs(5): 5 sets the peak back to what is resident now.
    forgetPeak: () => writeFileSync(`/proc/${pid}/clear_refs`, '5'),
    stop: async () => {
      if (child.exitCode !== null) return;
      child.disconnect();
      await once(child, 'exit');
    },
  };
}

function readMemory(pid: number): Memory {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const megabytes = (name: string): number =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? 0) / 1024;
  return {
    resident: megabytes('VmRSS'),
    own: megabytes('RssAnon'),
    ofFiles: megabytes('RssFile'),
    peak: megabytes('VmHWM'),
  };
}
