/** Clients without a valid key use up no project's rate limit. */
import type { FastifyReply } from 'fastify';
import { afterEach, expect, it } from 'vitest';
import type { AuthenticatedKey } from '../../src/gate/access/authenticate-key.ts';
import { revokeAgent } from '../../src/gate/agents/agent-status.ts';
import { createProject } from '../../src/gate/projects/create-project.ts';
import { Limits } from '../../src/http/limits/limits.ts';
import { createKey } from '../../src/people/keys/create-key.ts';
import { OPERATOR } from '../fixtures/open-test-gate.ts';
import { openTestApp, type TestApp } from './open-test-app.ts';

let t: TestApp;
afterEach(() => t.close());

it('a flood of client addresses costs no project its own bucket', async () => {
  t = await openTestApp();
  const limits = new Limits(1, () => Date.parse('2026-11-20T12:00:00.000Z'));
  const reply = { header: () => reply } as unknown as FastifyReply;
  for (let n = 0; n < 100_001; n += 1) {
    limits.countFailedKey(reply, `2001:db8:${Math.floor(n / 65_536)}:${(n % 65_536).toString(16)}::1`);
  }
  const ask = (projectId: string) => {
    const caller = { ...t.verifier, projectId };
    const key: AuthenticatedKey = { caller, limits: { projectPerMinute: null, keyPerMinute: null } };
    limits.countRequest(reply, key, 'core', undefined);
  };
  ask('prj_1');
  expect(() => ask('prj_2')).not.toThrow();
  expect(() => ask('prj_1')).toThrow('More than 1 requests');
});

it('a client with a whole IPv6 network can guess no more keys than one with a single address', async () => {
  t = await openTestApp({ config: { rateLimitPerMinute: 10 } });
  const statuses: number[] = [];
  const ask = (address: string) => t.call('GET', '/api/intents', { key: 'prm_agent_test_wrong', address });
  for (let n = 0; n < 101; n += 1) statuses.push((await ask(`2001:db8:1:2::${n.toString(16)}`)).status);
  expect(new Set(statuses.slice(0, 100))).toEqual(new Set([401]));
  expect(statuses[100]).toBe(429);
  expect((await ask('2001:db8:1:3::1')).status).toBe(401);
});

it('the key of a revoked agent is limited per address, like a wrong key', async () => {
  t = await openTestApp({ config: { rateLimitPerMinute: 10 } });
  await revokeAgent(t.gate, OPERATOR, { projectId: t.projectId, agentId: t.agentId });
  const statuses: number[] = [];
  const ask = (address: string) => t.call('GET', '/api/intents', { key: t.first.agent_key, address });
  for (let n = 0; n < 101; n += 1) statuses.push((await ask('203.0.113.9')).status);
  expect(new Set(statuses.slice(0, 100))).toEqual(new Set([403]));
  expect(statuses[100]).toBe(429);
  expect((await ask('203.0.113.10')).status).toBe(403);
  const others = await t.call('GET', '/api/intents', { key: t.first.secret_key, address: '203.0.113.9' });
  expect(others.status).toBe(200);
  expect(others.headers['x-ratelimit-remaining']).toBe('9');
});

it('a user token uses the rate limit of the project it asks about, where that is known', async () => {
  t = await openTestApp({ config: { rateLimitPerMinute: 2 } });
  const ann = await t.addPerson('ann@example.org', 'viewer');
  const audit = `/v1/projects/${t.projectId}/audit`;
  // Ann is in one project. Her requests use its bucket, whether they name the project or not.
  expect((await t.call('GET', '/api/intents', { key: ann.token })).status).toBe(200);
  await createProject(t.gate, OPERATOR, { name: 'Second', mode: 'test', ownerEmail: ann.email });
  // Ann is in two projects. Her request uses the bucket of the project in the path.
  expect((await t.call('GET', audit, { key: ann.token })).status).toBe(200);
  expect((await t.call('GET', audit, { key: ann.token })).status).toBe(429);
  expect((await t.call('GET', '/api/intents', { key: t.first.secret_key })).status).toBe(429);
  // Ann's requests do not use the bucket of a project that she is not in.
  const { project } = await createProject(t.gate, OPERATOR, {
    name: 'Third',
    mode: 'test',
    ownerEmail: 'bob@example.org',
  });
  const { key } = await createKey(t.gate, OPERATOR, {
    projectId: project.id,
    kind: 'secret',
    name: 'theirs',
    ownerEmail: 'bob@example.org',
  });
  const theirs = `/v1/projects/${project.id}/audit`;
  const statuses = [];
  for (let n = 0; n < 3; n += 1) statuses.push((await t.call('GET', theirs, { key: ann.token })).status);
  expect(statuses).toEqual([404, 404, 429]);
  expect((await t.call('GET', theirs, { key })).headers['x-ratelimit-remaining']).toBe('1');
});
