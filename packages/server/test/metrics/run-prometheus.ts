/** A Prometheus that collects the metrics of gates every second, and answers queries about them. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { stringify } from 'yaml';
import { findFreePort } from '../fixtures/free-port.ts';
import { METRICS_TOKEN } from './metered-gate.ts';

export interface RunningPrometheus {
  /**
   * The values that an expression has now.
   *
   * @throws with what Prometheus says of an expression that it cannot evaluate
   */
  query(expression: string): Promise<number[]>;
  /** Waits until Prometheus has collected from every gate again. */
  collectAgain(): Promise<void>;
  /** Each alerting rule, and whether Prometheus could evaluate it: `ok`, or `unknown` before the first evaluation. */
  alertHealth(): Promise<Record<string, string>>;
  stop(): Promise<void>;
}

/**
 * @param targets Addresses of gates, e.g. `127.0.0.1:20001`.
 * @param rulesFile The file with the alerting rules.
 */
export async function runPrometheus(
  targets: readonly string[],
  rulesFile: string,
): Promise<RunningPrometheus> {
  const directory = mkdtempSync(join(tmpdir(), 'permitry-prometheus-'));
  const config = join(directory, 'prometheus.yaml');
  const settings = {
    global: { scrape_interval: '1s', evaluation_interval: '1s' },
    rule_files: [rulesFile],
    scrape_configs: [
      {
        job_name: 'permitry',
        authorization: { credentials: METRICS_TOKEN },
        static_configs: [{ targets }],
      },
    ],
  };
  writeFileSync(config, stringify(settings));
  const address = `127.0.0.1:${await findFreePort()}`;
  const program = spawn(
    'prometheus',
    [
      `--config.file=${config}`,
      `--storage.tsdb.path=${join(directory, 'data')}`,
      `--web.listen-address=${address}`,
      '--log.level=warn',
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  const ended = once(program, 'exit');
  let said = '';
  program.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });

  async function ask(path: string): Promise<unknown> {
    const answer = await fetch(`http://${address}/api/v1/${path}`);
    const body = (await answer.json()) as { status: string; error?: string; data: unknown };
    if (body.status !== 'success') throw new Error(body.error);
    return body.data;
  }

  async function query(expression: string): Promise<number[]> {
    const { result } = (await ask(`query?${new URLSearchParams({ query: expression })}`)) as {
      result: { value: [number, string] }[];
    };
    return result.map(({ value: [, value] }) => Number(value));
  }

  return {
    query,
    async collectAgain() {
      const collected = `sum(up and timestamp(up) > ${Date.now() / 1000})`;
      // Prometheus refuses connections until it has started.
      while ((await query(collected).catch(() => []))[0] !== targets.length) {
        if (program.exitCode !== null) throw new Error(`prometheus ended: ${said}`);
        await sleep(50);
      }
    },
    async alertHealth() {
      const { groups } = (await ask('rules')) as {
        groups: { rules: { name: string; health: string; lastError?: string }[] }[];
      };
      const rules = groups.flatMap((group) => group.rules);
      return Object.fromEntries(rules.map(({ name, health, lastError }) => [name, lastError ?? health]));
    },
    async stop() {
      program.kill();
      await ended;
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
