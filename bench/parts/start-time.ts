/**
 * Measures the time from the start of `permitry serve` to its first 200 on /readyz. Runs the command itself, on the
 * server's core.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { get } from 'node:http';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { SERVER_CORE } from '../cores.ts';
import { dataOf } from '../store/manifest.ts';
import { BASE_URL } from '../workload.ts';

const PERMITRY = join(import.meta.dirname, '../../packages/cli/bin/permitry.js');
const PORT = 8799;
const TRIES = 5;
const EVERY_MS = 2;
const LONGEST_MS = 120_000;

/** Milliseconds of each try. The first one may find Node's compile cache cold. */
export async function measureStart(directory: string): Promise<number[]> {
  const times: number[] = [];
  for (let n = 0; n < TRIES; n += 1) times.push(await startOnce(dataOf(directory)));
  return times;
}

async function startOnce(dataDir: string): Promise<number> {
  const started = performance.now();
  const args = [PERMITRY, 'serve', '--data', dataDir, '--port', String(PORT), '--base-url', BASE_URL];
  const server = spawn('taskset', ['-c', String(SERVER_CORE), process.execPath, ...args], {
    stdio: 'ignore',
  });
  const exited = once(server, 'exit');
  try {
    while (!(await isReady())) {
      if (server.exitCode !== null) throw new Error('permitry serve ended before it was ready');
      if (performance.now() - started > LONGEST_MS) throw new Error('permitry serve did not become ready');
      await delay(EVERY_MS);
    }
    return performance.now() - started;
  } finally {
    server.kill('SIGTERM');
    await exited;
  }
}

function isReady(): Promise<boolean> {
  return new Promise((resolve) => {
    const request = get({ port: PORT, host: '127.0.0.1', path: '/readyz' }, (answer) => {
      answer.resume();
      resolve(answer.statusCode === 200);
    });
    request.once('error', () => resolve(false));
  });
}
