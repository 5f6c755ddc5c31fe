/** Running gates, the requests that tests send to them, and their metrics. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from '../../src/config.ts';
import { createLogger } from '../../src/http/log/logger.ts';
import { startServer } from '../../src/main.ts';
import { type FirstCredentials, initialiseGate } from '../../src/people/initialise-gate.ts';
import { openTestDatabase } from '../fixtures/postgres/open-test-database.ts';

export const METRICS_TOKEN = 'collector-token-0123456789';

export interface Metric {
  type: string;
  help: string;
  /** By the text before the value, e.g. `permitry_outcomes_total{outcome="failed"}`. */
  samples: Map<string, number>;
}

export interface MeteredGate {
  /** Where the gate listens, e.g. `127.0.0.1:20001`. */
  address: string;
  /** Sends requests that are approved, run and denied, a tool call, and wrong keys until the limit is reached. */
  makeTraffic(): Promise<void>;
  /** The text at `/metrics`. */
  scrape(): Promise<string>;
  close(): Promise<void>;
}

/** One gate on SQLite and one on PostgreSQL, in this order. */
export async function startGatesOnBoth(): Promise<{ gates: readonly MeteredGate[]; close(): Promise<void> }> {
  const directory = mkdtempSync(join(tmpdir(), 'permitry-metrics-'));
  const database = await openTestDatabase();
  const gates = [
    await startMeteredGate({ PERMITRY_DATA: directory }),
    await startMeteredGate({
      PERMITRY_DATABASE_URL: database.url,
      PERMITRY_KEY_ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'),
    }),
  ];
  return {
    gates,
    async close() {
      for (const gate of gates) await gate.close();
      rmSync(directory, { recursive: true, force: true });
      await database.drop();
    },
  };
}

/** @param env The gate's database, in addition to the settings that every gate here has. */
async function startMeteredGate(env: Record<string, string>): Promise<MeteredGate> {
  const config = readConfig({ ...env, PERMITRY_PORT: '0', PERMITRY_METRICS_TOKEN: METRICS_TOKEN });
  const { promise: initialised, resolve } = Promise.withResolvers<FirstCredentials>();
  const server = await startServer(config, {
    logger: createLogger('silent'),
    async prepare(gate) {
      resolve(
        await initialiseGate(gate, { mode: 'test', projectName: 'First', ownerEmail: 'o@example.org' }),
      );
    },
  });
  const first = await initialised;

  async function send(key: string, path: string, body?: object): Promise<Response> {
    return await fetch(`${server.url}${path}`, {
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body ? { method: 'POST', body: JSON.stringify(body) } : {}),
    });
  }

  async function succeed(key: string, path: string, body?: object): Promise<Record<string, unknown>> {
    const answer = await send(key, path, body);
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as Record<string, unknown>;
  }

  return {
    address: new URL(server.url).host,
    async makeTraffic() {
      const action = { action: 'deploy', params: { to: 'production' } };
      const { id: used } = await succeed(first.agent_key, '/v1/intents', action);
      const { id: denied } = await succeed(first.agent_key, '/v1/intents', action);
      await succeed(first.secret_key, `/v1/intents/${used}/approve`, {});
      await succeed(first.secret_key, `/v1/intents/${denied}/deny`, {});
      const { permit } = await succeed(first.agent_key, `/v1/intents/${used}?wait=1`);
      const { token } = permit as { token: string };
      await succeed(first.verifier_key, '/v1/permits/validate', { token, ...action, consume: true });
      await succeed(first.verifier_key, `/v1/intents/${used}/outcome`, { outcome: 'succeeded' });
      await succeed(first.agent_key, '/api/mcp-gateway', {
        tool: 'mail.send',
        arguments: { to: 'ann@example.org', subject: 'Hello', text: 'How are you?' },
      });
      while ((await send('wrong', '/v1/intents/int_x')).status !== 429);
    },
    async scrape() {
      const headers = { authorization: `Bearer ${METRICS_TOKEN}` };
      return (await fetch(`${server.url}/metrics`, { headers })).text();
    },
    close: () => server.close(),
  };
}

/** The metrics of a scrape in the text format of Prometheus, by name. */
export function parseMetrics(text: string): Map<string, Metric> {
  const metrics = new Map<string, Metric>();
  let current: Metric | undefined;
  for (const line of text.split('\n')) {
    const [, keyword, name = '', rest = ''] = /^# (HELP|TYPE) (\S+) (.*)$/.exec(line) ?? [];
    if (keyword === 'HELP') {
      current = { type: '', help: rest, samples: new Map() };
      metrics.set(name, current);
    } else if (keyword === 'TYPE' && current) current.type = rest;
    else if (line !== '' && current) {
      const space = line.lastIndexOf(' ');
      current.samples.set(line.slice(0, space), Number(line.slice(space + 1)));
    }
  }
  return metrics;
}
