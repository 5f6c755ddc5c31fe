/** A server in its own process, pinned to one core. It reports its figures on request. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startProfile, writeProfile } from './cpu-profile.ts';

/** A request to a server by message. When the server has carried out the request, it answers with its figures. */
type Question = 'tell' | 'start profile' | { writeProfileTo: string };

/** The figures of a server, counted since it started. */
interface Figures {
  /** Durable commits of the server's storage. */
  commits: number;
  /** Microseconds of CPU of all threads. */
  cpuMicros: number;
  /** The main thread's part of `cpuMicros`. */
  mainMicros: number;
  /** Megabytes that V8 holds for objects, used or not. The rest of the process's own memory is SQLite's and Node's. */
  heapMb: number;
}

/** Megabytes. */
interface Memory {
  resident: number;
  /** The process's own part: heap and caches. */
  own: number;
  /** Pages of mapped files, which the kernel may reclaim at any time. */
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
  /** Runs `work`. If there is a directory, writes a CPU profile of the server's main thread for that time. */
  profileWhile<T>(directory: string | undefined, work: () => Promise<T>): Promise<T>;
  stop(): Promise<void>;
}

/** Called in the child: announces that it listens, then answers every request. */
export function announce(port: number, commits: () => number): void {
  process.on('message', async (question: Question) => {
    if (question === 'start profile') await startProfile();
    else if (question !== 'tell') await writeProfile(question.writeProfileTo);
    const all = process.cpuUsage();
    const main = process.threadCpuUsage();
    process.send?.({
      commits: commits(),
      cpuMicros: all.user + all.system,
      mainMicros: main.user + main.system,
      heapMb: process.memoryUsage().heapTotal / 1024 ** 2,
    } satisfies Figures);
  });
  process.send?.({ port });
}

export interface ChildOptions {
  /** One core, or several in the format of `taskset`. */
  core: number | string;
  args?: readonly string[];
  env?: Record<string, string>;
}

/**
 * A compile cache, like that of `permitry serve`: only the first start compiles the sources, and later starts do not
 * load the compiler.
 */
const COMPILED = join(import.meta.dirname, '../node_modules/.cache/compiled');

/** Starts `script`, which must call `announce`. */
export async function startChild(script: string, options: ChildOptions): Promise<ChildServer> {
  const { core, args = [], env = {} } = options;
  const child: ChildProcess = fork(script, args, {
    // `taskset` binds the process and every thread that it creates later.
    execPath: 'taskset',
    execArgv: ['-c', String(core), process.execPath],
    env: { NODE_COMPILE_CACHE: COMPILED, ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const [hello] = await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(() => Promise.reject(new Error(`${script} ended before it listened`))),
  ]);
  const pid = child.pid ?? 0;
  const ask = async (question: Question): Promise<Figures> => {
    child.send(question);
    const [figures] = (await once(child, 'message')) as [Figures];
    return figures;
  };
  return {
    port: (hello as { port: number }).port,
    pid,
    ask: () => ask('tell'),
    memory: () => readMemory(pid),
    // See proc_pid_clear_refs(5): 5 resets the peak to what is resident now.
    forgetPeak: () => writeFileSync(`/proc/${pid}/clear_refs`, '5'),
    profileWhile: async (directory, work) => {
      if (directory === undefined) return work();
      await ask('start profile');
      const result = await work();
      await ask({ writeProfileTo: directory });
      return result;
    },
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
