/** Threat 19: a whole life of the gate, with its failures, leaves no secret in logs, errors, events, pages or files. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Metrics } from '../../packages/server/src/ops/metrics/metrics.ts';
import { type Arena, openArena } from './open-arena.ts';
import { idOf, permitOf } from './surfaces.ts';

const ACTION = 'payments.refund';
const PARAMS = { amount: 5, card: 'card-4242-secret-number' };
const METRICS_TOKEN = 'metrics-token-0123456789';

let t: Arena;
/** Secrets that must not appear anywhere, by what they are. */
const keys = new Map<string, string>();
const permits: string[] = [];
const errors: string[] = [];
const pages: string[] = [];

beforeAll(async () => {
  t = await openArena({
    mode: 'live',
    logLevel: 'trace',
    config: { metricsToken: METRICS_TOKEN },
    deps: { metrics: new Metrics() },
  });
  keys.set('secret key', t.first.secret_key);
  keys.set('agent key', t.first.agent_key);
  keys.set('verifier key', t.first.verifier_key);
  keys.set('owner’s token', t.owner.token);
  await live();
  await misplaceSecrets();
  await failInside();
  await look();
});
afterAll(() => t.close());

async function live(): Promise<void> {
  const root = `/v1/projects/${t.projectId}`;
  const { token: owner } = t.owner;
  const rules = [{ name: 'free', match: { action: 'free.*' }, effect: 'allow' }];
  await t.call('PUT', `${root}/policies`, {
    present: t.owner,
    body: { name: 'p', default: { approvers: ['role:approver'] }, rules },
  });
  for (const body of [
    { kind: 'verify', name: 'made' },
    { kind: 'secret', name: 'made' },
    { kind: 'agent', name: 'made', agent_id: t.agentId },
  ]) {
    const headers = { 'idempotency-key': `mint ${body.kind}` };
    const made = await t.call('POST', `${root}/keys`, { present: t.owner, body, headers });
    keys.set(`${body.kind} key made through HTTP`, String(made.body.key));
    await t.call('POST', `${root}/keys`, { present: t.owner, body, headers });
    await t.call('POST', `${root}/keys/${made.body.id}/revoke`, { present: t.owner });
  }
  const { webhook } = await t.addWebhook();
  for (const overlap_seconds of [60, 0]) {
    const headers = { 'idempotency-key': `rotate ${overlap_seconds}` };
    const request = { present: t.owner, body: { overlap_seconds }, headers };
    const rotated = await t.call('POST', `${root}/webhooks/${webhook}/rotate-secret`, request);
    expect(rotated.body.secret).toMatch(/^whsec_/);
    keys.set(`secret of a webhook, ${overlap_seconds} s`, String(rotated.body.secret));
    await t.call('POST', `${root}/webhooks/${webhook}/rotate-secret`, request);
  }
  for (const surface of t.surfaces) {
    const free = await t.call('POST', surface.name === 'A' ? '/api/intents' : '/v1/intents', {
      key: t.first.agent_key,
      headers: { 'idempotency-key': `free ${surface.name}` },
      body: { action: 'free.x', source_type: 'ai_agent' },
    });
    permits.push(permitOf(free));
    const id = idOf(await surface.create(t.first.agent_key, ACTION, PARAMS));
    await surface.approve(t.owner, id);
    const token = permitOf(await surface.read(t.first.agent_key, id));
    const fresh = await t.call('POST', `/v1/intents/${id}/permit`, {
      key: t.first.agent_key,
      headers: { 'idempotency-key': `fresh ${surface.name}` },
      body: {},
    });
    permits.push(token, permitOf(fresh));
    const use = { token, action: ACTION, params: PARAMS, consume: true };
    await surface.verify(t.first.verifier_key, use, { 'idempotency-key': `use ${surface.name}` });
    for (const again of [
      use,
      { ...use, params: {} },
      { ...use, token: `${token}x` },
      { ...use, token: token.slice(0, -9) },
    ]) {
      errors.push((await surface.verify(t.first.verifier_key, again)).text);
    }
    await t.call('POST', `/v1/intents/${id}/outcome`, {
      key: t.first.verifier_key,
      body: { outcome: 'succeeded' },
    });
    await t.call('POST', '/v1/permits/revoke', { key: owner, body: { intent_id: id, reason: 'over' } });
  }
}

/** Puts a key or a permit where something else belongs, as people sometimes do. */
async function misplaceSecrets(): Promise<void> {
  const secrets = [...keys.values(), ...permits];
  for (const secret of secrets) {
    const { secret_key: key } = t.first;
    const short = secret.slice(0, 150);
    const calls = [
      t.call('GET', `/v1/intents/${secret}`, { key }),
      t.call('GET', `/v1/projects/${secret}/audit`, { key }),
      t.call('GET', `/nothing/${secret}?key=${secret}`),
      t.call('GET', `/api/intents?key=${secret}&cursor=${short}`, { key }),
      t.call('GET', `/api/intents?${secret}=1`, { key }),
      t.call('GET', `/v1/projects/${t.projectId}/audit?actor=${short}`, { key }),
      t.call('GET', '/api/intents', { headers: { authorization: secret } }),
      t.call('GET', '/api/intents', { headers: { authorization: `Bearer ${secret}x` } }),
      t.call('GET', '/api/intents', { headers: { authorization: `Basic ${secret}` } }),
      t.call('GET', '/metrics', { headers: { authorization: `Bearer ${secret}` } }),
      t.call('GET', '/api/intents', {
        headers: { 'x-api-key': secret, cookie: `k=${secret}`, 'user-agent': secret },
        key,
      }),
      t.call('POST', '/v1/intents', { key, body: { [secret]: 1 } }),
      t.call('POST', '/v1/intents', { key, body: { action: [secret], risk_tier: secret } }),
      t.call('POST', '/v1/intents', { key, body: `{"${secret}":1,"${secret}":2}` }),
      t.call('POST', '/v1/intents', { key, body: `{"action":"${secret}` }),
      t.call('POST', '/v1/intents', { key, body: secret }),
      t.call('POST', '/v1/intents', { key, body: { action: 'a' }, headers: { 'content-type': secret } }),
      t.call('POST', '/v1/intents', {
        key,
        body: { action: 'a' },
        headers: { 'idempotency-key': `${secret}\u00e9` },
      }),
      t.call('PUT', `/v1/projects/${t.projectId}/policies`, {
        key: t.owner.token,
        body: { [secret]: 1, name: 5 },
      }),
      t.call(secret.startsWith('prm') ? 'LOCK' : 'PURGE', `/${secret}`),
    ];
    for (const answer of await Promise.all(calls)) {
      expect(answer.status, answer.text).toBeGreaterThanOrEqual(
        400 * Number(answer.text.startsWith('{"error')),
      );
      if (answer.status >= 400) errors.push(answer.text);
    }
  }
}

/** Causes an internal error whose message contains secrets. */
async function failInside(): Promise<void> {
  t.reads.findIntent = () => {
    throw new Error(`select * from issued where token = '${permits[0]}' and key = '${t.first.secret_key}'`);
  };
  t.reads.findCredential = () => {
    throw new AggregateError([new Error(`Bearer ${t.first.agent_key}`)], `lost ${t.owner.token}`, {
      cause: {
        authorization: `Bearer ${t.first.secret_key}`,
        token: permits[1],
        nested: [{ password: 'hunter2-hunter2' }],
      },
    });
  };
  for (let i = 0; i < 3; i += 1) {
    const answer = await t.call('GET', '/v1/intents/int_none', { key: t.first.secret_key });
    expect(answer.status).toBe(500);
    errors.push(answer.text);
  }
  delete t.reads.findCredential;
  const answer = await t.call('GET', '/v1/intents/int_none', { key: t.first.secret_key });
  expect(answer.status).toBe(500);
  errors.push(answer.text);
  delete t.reads.findIntent;
}

async function look(): Promise<void> {
  const root = `/v1/projects/${t.projectId}`;
  for (const path of [
    `${root}/audit?limit=200`,
    `${root}/audit/verify`,
    `${root}/keys?limit=200`,
    `${root}/agents`,
    `${root}/members`,
    `${root}/policies/versions`,
    `${root}/public-key`,
    '/api/intents?limit=200',
  ]) {
    const answer = await t.call('GET', path, { key: t.owner.token });
    expect(answer.status, answer.text).toBe(200);
    pages.push(answer.text);
  }
  for (const path of [
    '/healthz',
    '/readyz',
    '/openapi.json',
    '/docs',
    '/.well-known/jwks.json',
    '/approve/int_01hzzzzzzzzzzzzzzzzzzzzzzz',
  ]) {
    pages.push((await t.call('GET', path)).text);
  }
  pages.push(
    (await t.call('GET', '/metrics', { headers: { authorization: `Bearer ${METRICS_TOKEN}` } })).text,
  );
}

/** The key without its prefix, so that the search also finds a part of it. */
const heart = (key: string) => key.slice(-49, -6);
const signatureOf = (permit: string) => permit.split('.')[2] ?? '';

function expectClean(text: string, where: string): void {
  for (const [what, key] of keys) expect(text.includes(heart(key)), `${where} holds the ${what}`).toBe(false);
  for (const permit of permits)
    expect(text.includes(signatureOf(permit)), `${where} holds a permit`).toBe(false);
}

it('the test has enough secrets, errors and log lines to search', () => {
  expect(keys.size).toBe(9);
  expect(new Set(permits).size).toBe(6);
  expect(errors.length).toBeGreaterThan(200);
  expect(t.log().split('\n').length).toBeGreaterThan(200);
});

it('the log contains no key, permit, header, parameter or private key', () => {
  const log = t.log();
  expectClean(log, 'the log');
  for (const text of ['hunter2-hunter2', PARAMS.card, METRICS_TOKEN, ...privateParts()])
    expect(log.includes(text), text).toBe(false);
  expect(log).not.toMatch(/bearer\s+(?!\[removed\])[A-Za-z0-9._-]{20,}/i);
  // The log does report the error.
  expect(log).toContain('internal_error');
});

it('no error body contains a key, a permit or a parameter', () => {
  for (const body of errors) expectClean(body, body.slice(0, 300));
  const text = errors.join('\n');
  expectClean(text, 'an error body');
  expect(text).not.toContain('select * from');
  expect(text).not.toMatch(/ at .*\.ts:\d+/);
  expect(text).not.toContain(PARAMS.card);
});

it('no list, event or page contains a key or a permit', () => {
  expectClean(pages.join('\n'), 'a page');
  expectClean(JSON.stringify(t.written()), 'an event');
  expect(JSON.stringify(t.written())).not.toContain(PARAMS.card);
});

it('the data directory contains no key in clear, and permits only in the tables for permits', () => {
  for (const name of readdirSync(t.dataDir).filter((file) => file.startsWith('permitry.sqlite'))) {
    const bytes = readFileSync(join(t.dataDir, name)).toString('latin1');
    for (const [what, key] of keys)
      expect(bytes.includes(heart(key)), `${name} holds the ${what}`).toBe(false);
    for (const part of privateParts()) expect(bytes.includes(part)).toBe(false);
    expect(bytes).not.toContain('Bearer ');
  }
  const database = new DatabaseSync(t.databaseFile, { readOnly: true });
  const tables = database.prepare("select name from sqlite_master where type = 'table'").all();
  const holding = tables.flatMap(({ name }) => {
    const rows = JSON.stringify(database.prepare(`select * from "${String(name)}"`).all());
    return permits.some((permit) => rows.includes(signatureOf(permit))) ? [String(name)] : [];
  });
  database.close();
  expect(holding).toEqual(['issued', 'superseded_permits']);
});

it('only their owner can read the files of the data directory', () => {
  expect(statSync(t.databaseFile).mode & 0o077).toBe(0);
  for (const suffix of ['-wal', '-shm']) {
    if (existsSync(t.databaseFile + suffix)) expect(statSync(t.databaseFile + suffix).mode & 0o077).toBe(0);
  }
  const folder = join(t.dataDir, 'keys');
  for (const name of readdirSync(folder)) expect(statSync(join(folder, name)).mode & 0o077, name).toBe(0);
});

function privateParts(): string[] {
  const folder = join(t.dataDir, 'keys');
  return readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .flatMap((name) => (JSON.parse(readFileSync(join(folder, name), 'utf8')) as { d?: string }).d ?? []);
}
