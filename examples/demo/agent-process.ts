/** Owns the agent's process: starts the process, gives it tasks, passes on its reports, and ends it. */
import { type ChildProcess, fork } from 'node:child_process';
import { on, once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { AgentReport, Errand } from './agent.ts';
import type { Exchange } from './exchange.ts';

export interface AgentProcess {
  pid: number;
  give(errand: Errand): void;
  /** The agent's next call, in the order of the answers. */
  nextExchange(): Promise<Exchange>;
}

const AGENT = fileURLToPath(new URL('./agent.ts', import.meta.url));

export async function startAgent(
  env: { GATE_URL: string; AGENT_KEY: string },
  onStart: (child: ChildProcess) => void,
): Promise<AgentProcess> {
  // The environment contains the key, and the arguments do not, because everybody on the machine can read arguments.
  const child = fork(AGENT, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  onStart(child);
  const reports = on(child, 'message', { close: ['exit'] });

  async function nextReport(): Promise<AgentReport> {
    const { value, done } = await reports.next();
    if (done) throw new Error('the agent process ended before it answered');
    const [report] = value as [AgentReport];
    return report;
  }

  await Promise.race([nextReport(), once(child, 'error').then(([error]) => Promise.reject(error))]);
  return {
    pid: child.pid ?? 0,
    give: (errand) => void child.send(errand),
    async nextExchange() {
      const report = await nextReport();
      if (report.kind === 'exchange') return report.exchange;
      throw new Error(
        report.kind === 'error' ? `the agent's call failed: ${report.message}` : 'the agent started twice',
      );
    },
  };
}
