/** Two complete servers on one PostgreSQL database, as behind a load balancer. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { createLogger } from '../../src/http/log/logger.ts';
import { type RunningServer, startServer } from '../../src/main.ts';
import { type FirstCredentials, initialiseGate } from '../../src/people/initialise-gate.ts';
import { openTestDatabase, type TestDatabase } from '../fixtures/postgres/open-test-database.ts';

const BASE_URL = 'https://gate.example';

let database: TestDatabase;
let directory: string;
let servers: RunningServer[];
let first: FirstCredentials;

function start(baseUrl = BASE_URL, prepare?: Parameters<typeof startServer>[1]): Promise<RunningServer> {
  const config = readConfig({
    PERMITRY_DATABASE_URL: database.url,
    PERMITRY_DATA: directory,
    PERMITRY_KEY_ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'),
    PERMITRY_BASE_URL: baseUrl,
    PERMITRY_PORT: '0',
  });
  return startServer(config, { logger: createLogger('silent'), ...prepare });
}

beforeAll(async () => {
  database = await openTestDatabase();
  directory = mkdtempSync(join(tmpdir(), 'permitry-servers-'));
  servers = [
    await start(BASE_URL, {
      prepare: async (gate) => {
        first = await initialiseGate(gate, {
          mode: 'test',
          projectName: 'First',
          ownerEmail: 'owner@example.org',
        });
      },
    }),
    await start(),
  ];
});
afterAll(async () => {
  await Promise.all(servers.map((server) => server.close()));
  await database.drop();
  rmSync(directory, { recursive: true, force: true });
});

async function call(
  server: number,
  method: string,
  path: string,
  body?: object,
): Promise<Record<string, unknown>> {
  const response = await fetch(`${servers[server]?.url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${first.secret_key}`,
      ...(body ? { 'content-type': 'application/json' } : {}),
    },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  return (await response.json()) as Record<string, unknown>;
}

test('a request sent to one server can be approved, awaited and used through either, but used only once', async () => {
  const { id } = await call(0, 'POST', '/v1/intents', { action: 'deploy', params: { to: 'staging' } });
  const waiting = [0, 1].map((server) => call(server, 'GET', `/v1/intents/${id}?wait=30`));
  expect(await call(1, 'POST', `/v1/intents/${id}/approve`, {})).toMatchObject({ status: 'approved' });
  for (const body of await Promise.all(waiting)) expect(body).toMatchObject({ id, status: 'approved' });
  const { permit } = (await call(0, 'GET', `/v1/intents/${id}`)) as { permit: { token: string } };
  const use = { token: permit.token, action: 'deploy', params: { to: 'staging' }, consume: true };
  const used = await Promise.all([0, 1].map((server) => call(server, 'POST', '/v1/permits/validate', use)));
  expect(used.filter(({ valid }) => valid === true)).toHaveLength(1);
  expect(used.filter(({ error }) => error !== undefined)).toHaveLength(1);
});

test('a request expires on time, and its expiry is recorded once', async () => {
  const { id } = await call(0, 'POST', '/v1/intents', { action: 'deploy', expires_in: 1 });
  expect(await call(1, 'GET', `/v1/intents/${id}?wait=30`)).toMatchObject({ status: 'expired' });
  const audit = await call(
    0,
    'GET',
    `/v1/projects/${first.project_id}/audit?intent_id=${id}&type=intent.expired`,
  );
  expect(audit.data).toHaveLength(1);
  const verdict = await call(1, 'GET', `/v1/projects/${first.project_id}/audit/verify`);
  expect(verdict).toMatchObject({ valid: true, unsealed: 0 });
});

test('a server with another base_url is refused, with the variable to change', async () => {
  await expect(start('https://elsewhere.example')).rejects.toThrow(
    /https:\/\/gate\.example.*PERMITRY_BASE_URL/,
  );
});
