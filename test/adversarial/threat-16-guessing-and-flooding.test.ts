/** Threat 16 for keys, without passwords: guessing reveals nothing, and both guesses and requests are limited. */
import { formatApiKey } from '@permitry/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createProject } from '../../packages/server/src/gate/projects/create-project.ts';
import { createKey } from '../../packages/server/src/people/keys/create-key.ts';
import { createUserToken } from '../../packages/server/src/people/keys/user-token.ts';
import { type Answer, type Arena, openArena } from './open-arena.ts';
import { expectRefused, surfaceOf } from './surfaces.ts';

/** Everything in a response except its own ID and the level of the rate limit. */
function told({ status, body, headers }: Answer) {
  const { request_id: _own, ...error } = body.error as Record<string, unknown>;
  return { status, error, names: Object.keys(headers).toSorted(), length: headers['content-length'] };
}

describe('an invalid key', () => {
  let t: Arena;
  const bad = new Map<string, string>();
  beforeAll(async () => {
    t = await openArena({ mode: 'live' });
    const good = t.first.secret_key;
    const last = good.at(-1) === 'a' ? 'b' : 'a';
    const expiring = await createKey(t.gate, t.operator, {
      projectId: t.projectId,
      kind: 'verify',
      name: 'short',
      expiresAt: '2026-11-20T12:00:30.000Z',
    });
    const revoked = await t.addService('owner@example.org');
    const leaver = await t.addPerson('leaver@example.org', 'admin');
    const orphan = await t.addService('leaver@example.org', 'of a former member');
    const token = await createUserToken(t.gate, t.operator, {
      name: 'short',
      email: 'owner@example.org',
      rights: [],
      expiresAt: '2026-11-20T12:00:30.000Z',
    });
    const root = `/v1/projects/${t.projectId}`;
    await t.call('POST', `${root}/keys/${revoked.keyId}/revoke`, { present: t.owner });
    await t.call('DELETE', `${root}/members/${leaver.userId}`, { present: t.owner });
    t.clock.advance(30);
    bad.set('unknown', formatApiKey('secret', 'live', new Uint8Array(32).fill(7)));
    bad.set('unknown, of another kind', formatApiKey('agent', 'live', new Uint8Array(32).fill(7)));
    bad.set('unknown, of another mode', formatApiKey('secret', 'test', new Uint8Array(32).fill(7)));
    bad.set('of the wrong checksum', good.slice(0, -1) + last);
    bad.set('with a character more', `${good}0`);
    bad.set('with a character less', good.slice(0, -1));
    bad.set('in capitals', good.toUpperCase());
    bad.set('named as another kind', good.replace('prm_secret', 'prm_verify'));
    bad.set('named as another mode', good.replace('_live_', '_test_'));
    bad.set('no key at all', 'hunter2');
    bad.set('its own hint', good.slice(-4));
    bad.set('revoked', revoked.key);
    bad.set('expired', expiring.key);
    bad.set('an expired token', token.key);
    bad.set('of a former member', orphan.key);
  });
  afterAll(() => t.close());

  it('gets the same status, text and headers, whatever is wrong with it', async () => {
    for (const [method, path] of [
      ['GET', '/api/intents'],
      ['POST', '/v1/intents'],
      ['GET', '/v1/intents/int_none'],
      ['PATCH', '/api/intents/int_none'],
      ['GET', `/v1/projects/${t.projectId}/keys`],
      ['GET', '/v1/projects/prj_none/keys'],
    ] as const) {
      const answers = new Map<string, Answer>();
      for (const [what, key] of bad) {
        answers.set(
          what,
          await t.expectUnchanged(() => t.call(method, path, { key, address: `10.0.0.${answers.size}` })),
        );
      }
      const [first] = answers.values();
      for (const [what, answer] of answers) {
        expectRefused(surfaceOf(path), answer, 401, 'UNAUTHORIZED');
        expect(told(answer), `${method} ${path}: ${what}`).toEqual(told(first as Answer));
      }
    }
  });

  it('may be tried a hundred times a minute from one address, where valid keys still work', async () => {
    t.clock.advance(60);
    const guess = (address: string, headers = {}) =>
      t.call('GET', '/api/intents', { key: bad.get('unknown') ?? '', address, headers });
    for (let i = 0; i < 100; i += 1) expect((await guess('192.0.2.1')).status).toBe(401);
    for (const headers of [
      {},
      { 'x-forwarded-for': '203.0.113.9' },
      { forwarded: 'for=203.0.113.9' },
      { 'x-real-ip': '203.0.113.9' },
    ]) {
      const answer = await guess('192.0.2.1', headers);
      expectRefused('A', answer, 429, 'RATE_LIMITED');
      expect(answer.headers['retry-after']).toBe('30');
    }
    expectRefused('A', await guess('192.0.2.2'), 401, 'UNAUTHORIZED');
    for (const address of ['192.0.2.1', '192.0.2.2']) {
      const answer = await t.call('GET', '/api/intents', { key: t.first.agent_key, address });
      expect(answer.status).toBe(200);
    }
    t.clock.advance(60);
    expectRefused('A', await guess('192.0.2.1'), 401, 'UNAUTHORIZED');
  });
});

describe('a limit of five requests a minute', () => {
  let t: Arena;
  beforeAll(async () => {
    t = await openArena({ mode: 'test', config: { rateLimitPerMinute: 5 } });
  });
  afterAll(() => t.close());

  const NOON = Date.parse('2026-11-20T12:00:00.000Z') / 1000;

  it('counts the eight operations together, on both surfaces and with refusals, and the sixth is refused everywhere', async () => {
    t.clock.advance(20);
    const { agent_key: agent, secret_key: secret, verifier_key: verifier } = t.first;
    const five: (() => Promise<Answer>)[] = [
      () => t.call('POST', '/api/intents', { key: agent, body: { action: 'a', source_type: 'ci' } }),
      () => t.call('POST', '/v1/intents', { key: secret, body: '{"broken":' }),
      () => t.call('GET', '/v1/intents/int_none', { key: agent }),
      () => t.call('POST', '/v1/permits/validate', { key: verifier, body: { token: 'x' } }),
      () => t.call('GET', `/v1/projects/${t.projectId}/audit`, { key: agent }),
    ];
    const statuses = [];
    for (const [index, send] of five.entries()) {
      const { status, headers } = await send();
      statuses.push(status);
      expect(headers).toMatchObject({
        'x-ratelimit-limit': '5',
        'x-ratelimit-remaining': String(4 - index),
        'x-ratelimit-reset': String(NOON + 60),
        ratelimit: `"default";r=${4 - index};t=40`,
        'ratelimit-policy': '"default";q=5;w=60',
      });
    }
    expect(statuses).toEqual([201, 400, 404, 400, 403]);

    for (const [method, path, key] of [
      ['POST', '/api/intents', agent],
      ['GET', '/api/intents', secret],
      ['GET', '/api/intents?status=resolved', agent],
      ['GET', '/api/intents/int_none', secret],
      ['POST', '/api/intents/permit/verify', verifier],
      ['POST', '/v1/intents', agent],
      ['GET', '/v1/intents/int_none', agent],
      ['POST', '/v1/permits/validate', verifier],
      ['GET', `/v1/projects/${t.projectId}/audit`, secret],
    ] as const) {
      // The gate refuses the request before it reads the body.
      const body = method === 'POST' ? '{"broken":' : undefined;
      const answer = await t.expectUnchanged(() => t.call(method, path, { key, body }));
      expectRefused(surfaceOf(path), answer, 429, 'RATE_LIMITED');
      expect(Object.keys(answer.body.error as object).toSorted()).toEqual(['code', 'message', 'request_id']);
      expect(answer.headers).toMatchObject({
        'retry-after': '40',
        'x-ratelimit-limit': '5',
        'x-ratelimit-remaining': '0',
        'x-ratelimit-reset': String(NOON + 60),
      });
    }
  });

  it('counts other operations separately', async () => {
    const { secret_key: key } = t.first;
    for (let i = 0; i < 5; i += 1) {
      const answer = await t.call('GET', `/v1/projects/${t.projectId}`, { key });
      expect(answer.headers['x-ratelimit-remaining']).toBe(String(4 - i));
      expect(answer.status).toBe(200);
    }
    const started = await t.expectUnchanged(() =>
      t.call('POST', `/v1/projects/${t.projectId}/start`, { key }),
    );
    expectRefused('B', started, 429, 'RATE_LIMITED');
  });

  it('counts another project separately, and counts no request without a key', async () => {
    const ownerEmail = 'owner@neighbour.example';
    const { project } = await createProject(t.gate, t.operator, { name: 'Other', mode: 'test', ownerEmail });
    const key = { projectId: project.id, kind: 'secret', name: 'other', ownerEmail } as const;
    const other = await createKey(t.gate, t.operator, key);
    expect((await t.call('GET', '/api/intents', { key: other.key })).status).toBe(200);
    const nobody = await t.call('GET', '/api/intents');
    expect(nobody.status).toBe(401);
    expect(nobody.headers).toMatchObject({
      'x-ratelimit-limit': '100',
      'x-ratelimit-reset': String(NOON + 60),
    });
    const nothing = await t.call('GET', '/v1/nothing');
    expect(nothing.headers['x-ratelimit-limit']).toBe('100');
  });

  it('starts again when the minute is over, and lets 5 of 50 simultaneous requests through', async () => {
    t.clock.advance(40);
    const start = t.now();
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, i) => t.surfaces[(i % 2) as 0 | 1].create(t.first.agent_key, 'a')),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(5);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(45);
    expect(t.written(start).map(({ type }) => type)).toEqual(
      Array.from({ length: 5 }, () => 'intent.created'),
    );
  });
});
