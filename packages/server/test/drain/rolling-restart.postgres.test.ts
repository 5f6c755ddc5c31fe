/** Gates are replaced one after the other under load, without any client noticing. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { createLogger } from '../../src/http/log/logger.ts';
import { type RunningServer, startServer } from '../../src/main.ts';
import { type FirstCredentials, initialiseGate } from '../../src/people/initialise-gate.ts';
import { openTestDatabase, type TestDatabase } from '../fixtures/postgres/open-test-database.ts';
import { EventSource } from '../live/event-source.ts';
import { type Balancer, openBalancer } from './balancer.ts';

let database: TestDatabase;
let balancer: Balancer;
let gates: RunningServer[];
let first: FirstCredentials | undefined;
let complaints: string;
beforeEach(async () => {
  database = await openTestDatabase();
  balancer = await openBalancer();
  gates = [];
  first = undefined;
  complaints = '';
});
afterEach(async () => {
  await balancer.close();
  await Promise.all(gates.map((gate) => gate.close()));
  await database.drop();
});

async function startGate(): Promise<RunningServer> {
  const config = readConfig({
    PERMITRY_DATABASE_URL: database.url,
    PERMITRY_KEY_ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'),
    PERMITRY_BASE_URL: 'http://gate.test',
    PERMITRY_PORT: '0',
    PERMITRY_RATE_LIMIT_PER_MINUTE: '0',
    // Longer than the balancer needs to notice, even on a busy machine.
    PERMITRY_DRAIN_DELAY_SECONDS: '3',
  });
  const gate = await startServer(config, {
    logger: createLogger('error', {
      write: (line) => {
        complaints += line;
      },
    }),
    async prepare(opened) {
      first ??= await initialiseGate(opened, {
        mode: 'test',
        projectName: 'First',
        ownerEmail: 'owner@example.org',
      });
    },
  });
  gates.push(gate);
  balancer.add(gate.url);
  return gate;
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 5));
}

interface Answer {
  status: number;
  body: Record<string, unknown>;
}

async function call(method: string, path: string, key: string, body?: object): Promise<Answer> {
  const response = await fetch(`${balancer.url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      ...(body ? { 'content-type': 'application/json' } : {}),
    },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

test('replacing two gates one after the other cuts off no request, gives no wrong answer and misses no event', async () => {
  await startGate();
  await startGate();
  await until(() => balancer.ready === 2);
  if (!first) throw new Error('no first project');
  const { agent_key: agent, secret_key: secret, verifier_key: verifier, project_id: project } = first;
  const follower = new EventSource(`${balancer.url}/v1/projects/${project}/events?after=0`, { key: secret });

  let over = false;
  let passes = 0;
  let letGo = 0;
  /** Does what an agent does: sends a request, waits, and uses the permit. */
  async function walk(): Promise<void> {
    while (!over) {
      const made = await call('POST', '/v1/intents', agent, { action: 'deploy', params: { n: passes } });
      expect(made.status).toBe(201);
      const waiting = (async () => {
        for (;;) {
          const read = await call('GET', `/v1/intents/${made.body.id}?wait=30`, agent);
          expect(read.status).toBe(200);
          if (read.body.status !== 'pending') return read;
          letGo += 1;
        }
      })();
      const approved = await call('POST', `/v1/intents/${made.body.id}/approve`, secret, {});
      expect([approved.status, approved.body.status]).toEqual([200, 'approved']);
      const { token } = (await waiting).body.permit as { token: string };
      const use = { token, action: 'deploy', params: made.body.params, consume: true };
      const used = await call('POST', '/v1/permits/validate', verifier, use);
      expect([used.status, used.body.authorizes], JSON.stringify(used.body.error)).toEqual([200, true]);
      passes += 1;
    }
  }
  const asked = await call('POST', '/v1/intents', agent, { action: 'undecided' });
  const patient = (async () => {
    while (!over) {
      const read = await call('GET', `/v1/intents/${asked.body.id}?wait=1`, agent);
      expect([read.status, read.body.status]).toEqual([200, 'pending']);
    }
  })();
  const walkers = Array.from({ length: 4 }, walk);
  await until(() => passes >= 5);

  for (const leaving of gates.slice()) {
    await startGate();
    await until(() => balancer.ready === 3);
    const before = passes;
    const closing = leaving.close();
    await until(() => balancer.ready === 2);
    await closing;
    await until(() => passes >= before + 5);
  }
  over = true;
  await Promise.all([...walkers, patient]);

  expect(balancer.broken.filter((what) => !what.includes('/events'))).toEqual([]);
  const audit = await call('GET', `/v1/projects/${project}/audit/verify`, secret);
  expect(audit.body).toMatchObject({ valid: true, unsealed: 0 });
  await follower.until(({ seqs }) => seqs.length >= Number(audit.body.count));
  follower.close();
  expect(follower.seqs).toEqual(follower.seqs.map((_, index) => index + 1));
  expect(follower.reasons).toContain('shutdown');
  expect(letGo).toBeLessThan(passes);
  expect(complaints).toBe('');
});
