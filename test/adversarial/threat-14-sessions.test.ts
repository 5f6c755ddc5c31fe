/** Threat 14: what another site, a planted cookie, an old session or a stolen one can do with somebody's browser. */
import { request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SOUND_BODIES } from '../../attack/tables/sound-bodies.ts';
import { ROUTE_ACCESS } from '../../packages/server/src/http/admission/route-scopes.ts';
import { changeRole } from '../../packages/server/src/people/members/change-role.ts';
import { removeMember } from '../../packages/server/src/people/members/remove-member.ts';
import { asShown } from '../../packages/server/test/fixtures/as-shown.ts';
import type { Person } from '../../packages/server/test/fixtures/open-test-gate.ts';
import { signedIn } from '../../packages/server/test/fixtures/signed-in.ts';
import { BrowserAt, givePassword, PASSWORD } from '../../packages/server/test/sign-in/at-the-console.ts';
import { type Arena, openArena } from './open-arena.ts';
import { routesOf } from './routes-of.ts';
import { expectRefused, idOf } from './surfaces.ts';

let t: Arena;
let owner: BrowserAt;
beforeAll(async () => {
  t = await openArena({ mode: 'live', config: { rateLimitPerMinute: 0 } });
  await givePassword(t.gate, t.owner.userId, PASSWORD);
  owner = new BrowserAt(t);
  await owner.post('/sign-in', { email: 'owner@example.org', password: PASSWORD });
});
afterAll(() => t.close());

const cookie = () => owner.cookie ?? '';
const ask = async () => idOf(await t.surfaces[1].create(t.first.agent_key, 'payments.refund', { amount: 5 }));
const statusOf = async (id: string) => (await t.gate.storage.read.findIntent(id))?.status;

/** As a browser sends it from a page that is not ours. */
const FOREIGN: readonly (readonly [string, Record<string, string>])[] = [
  ['another site', { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }],
  ['another site that names us', { origin: 'https://localhost:4000.evil.example' }],
  ['our host by another scheme', { origin: 'https://localhost:4000' }],
  ['our host at another port', { origin: 'http://localhost:4001', 'sec-fetch-site': 'same-site' }],
  ['a sandboxed frame or a file', { origin: 'null' }],
  ['an empty origin', { origin: '' }],
  ['no origin, and from another site', { 'sec-fetch-site': 'cross-site' }],
  ['no origin, and from an address bar', { 'sec-fetch-site': 'none' }],
  ['neither header', {}],
];

describe('a page of another site, with the browser’s cookie', () => {
  it.each(FOREIGN)('%s: changes nothing on any route', async (_name, headers) => {
    const intent = await ask();
    const [key = 'none'] = (await t.gate.storage.read.listKeys(t.projectId, { limit: 1 })).map(
      ({ id }) => id,
    );
    const routes = routesOf({
      project: t.projectId,
      intent,
      agent: t.agentId,
      key,
      user: t.owner.userId,
      group: 'finance',
      proposal: 'prp_none',
      webhook: 'whk_none',
      upstream: 'ups_none',
      delivery: 'dlv_none',
    }).filter(({ method }) => method !== 'GET');
    expect(routes.length).toBeGreaterThan(40);
    const before = t.snapshot();
    for (const { route, method, path } of routes) {
      const body = SOUND_BODIES[route] ?? {};
      const answer = await t.call(method, path, { headers: { cookie: cookie(), ...headers }, body });
      expect([route, answer.status, answer.body.error]).toMatchObject([
        route,
        403,
        { required: 'same_origin' },
      ]);
      t.clock.advance(7);
    }
    expect(t.snapshot()).toEqual(before);
  });

  it.each(FOREIGN)('%s: signs nobody in, and follows no link', async (_name, headers) => {
    const open = Object.entries(ROUTE_ACCESS).filter(
      ([route, access]) => access === 'public' && route.startsWith('POST /console/'),
    );
    expect(open.length).toBeGreaterThan(7);
    for (const [route] of open) {
      const path = route.split(' ')[1] ?? '';
      const body = { email: 'owner@example.org', password: PASSWORD, token: 'x' };
      const answer = await t.expectUnchanged(() => t.call('POST', path, { headers, body }));
      expect([route, answer.status, answer.headers['set-cookie']]).toEqual([route, 403, undefined]);
    }
  });

  it('what a form can send is refused from our own page, too', async () => {
    const id = await ask();
    for (const type of [
      'text/plain',
      'text/plain;charset=UTF-8',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
    ]) {
      for (const path of [`/v1/intents/${id}/approve`, '/console/sign-in', '/console/account/password']) {
        const answer = await t.expectUnchanged(() =>
          t.call('POST', path, {
            headers: { cookie: cookie(), origin: 'http://localhost:4000', 'content-type': type },
            body: '{}',
          }),
        );
        expectRefused('B', answer, 415, 'UNSUPPORTED_MEDIA_TYPE');
      }
    }
    expect(await statusOf(id)).toBe('pending');
  });

  it('over a real connection: the origin that counts is the gate’s, not the Host header’s', async () => {
    await t.app.listen({ host: '127.0.0.1', port: 0 });
    const { port } = t.app.server.address() as AddressInfo;
    const id = await ask();
    const body = JSON.stringify(await asShown(t.gate, id));
    const approve = (headers: Record<string, string>) =>
      new Promise<number>((resolve, reject) => {
        const request = httpRequest(
          { port, host: '127.0.0.1', method: 'POST', path: `/v1/intents/${id}/approve` },
          (response) => {
            response.resume();
            response.on('end', () => resolve(response.statusCode ?? 0));
          },
        );
        request.on('error', reject);
        for (const [name, value] of Object.entries({ 'content-type': 'application/json', ...headers }))
          request.setHeader(name, value);
        request.end(body);
      });
    const evil = { host: 'evil.example', origin: 'http://evil.example' };
    expect(await approve({ cookie: cookie(), ...evil })).toBe(403);
    expect(await approve({ cookie: cookie(), 'x-forwarded-host': 'evil.example', ...evil })).toBe(403);
    expect(await statusOf(id)).toBe('pending');
    expect(await approve({ cookie: cookie(), origin: 'http://localhost:4000' })).toBe(200);
  });

  it('no GET changes anything, however it is asked', async () => {
    const id = await ask();
    for (const path of [
      `/approve/${id}?decision=approve`,
      `/v1/intents/${id}/approve`,
      `/v1/intents/${id}/deny`,
      '/console/sign-out',
      '/console/sign-in?email=owner@example.org',
      '/console/account/sessions/end-others',
    ]) {
      for (const method of ['GET', 'HEAD'])
        await t.expectUnchanged(() => t.call(method, path, { headers: { cookie: cookie() } }));
    }
    expect(await statusOf(id)).toBe('pending');
  });
});

describe('a cookie that somebody planted', () => {
  it('is not what the person is signed in by, and is worth nothing afterwards', async () => {
    const attackers = await signedIn(t.gate, t.owner.userId);
    const victim = new BrowserAt(t);
    victim.cookie = attackers.cookie;
    await victim.post('/sign-in', { email: 'owner@example.org', password: PASSWORD });
    expect(victim.cookie).not.toBe(attackers.cookie);
    const answer = await t.call('GET', '/console/account', { headers: attackers.headers });
    expect(answer.status).toBe(401);
    expect(await victim.whoAmI()).toBe('owner@example.org');
  });

  it('under a name without its prefix, in a query, a body or a header, is nothing', async () => {
    const token = cookie().split('=')[1] ?? '';
    for (const headers of [
      { cookie: `permitry_session=${token}` },
      { cookie: `__Secure-permitry_session=${token}` },
      { cookie: `__host-permitry_session=${token}` },
      { cookie: `__Host-permitry_session=${token}x` },
      { cookie: `__Host-permitry_session="${token}` },
      { authorization: `Bearer ${token}` },
      { authorization: `Cookie ${token}` },
      { 'x-session': token },
    ] as Record<string, string>[]) {
      const answer = await t.call('GET', `/api/intents?session=${token}`, { headers });
      expect([JSON.stringify(Object.keys(headers)), [400, 401].includes(answer.status)]).toEqual([
        expect.anything(),
        true,
      ]);
    }
  });
});

describe('a session that holds no more', () => {
  let ann: Person;
  beforeAll(async () => {
    ann = await t.addPerson('ann@example.org', 'approver');
  });

  it('of a demoted member decides nothing on the very next call; of a removed one sees nothing', async () => {
    const session = await signedIn(t.gate, ann.userId);
    const { projectId } = t;
    const id = await ask();
    const body = await asShown(t.gate, id);
    const decide = () => t.call('POST', `/v1/intents/${id}/approve`, { headers: session.headers, body });
    await changeRole(t.gate, t.operator, { projectId, userId: ann.userId, role: 'viewer' });
    expectRefused('B', await decide(), 403, 'FORBIDDEN');
    await changeRole(t.gate, t.operator, { projectId, userId: ann.userId, role: 'approver' });
    await removeMember(t.gate, t.operator, { projectId, userId: ann.userId });
    expect((await decide()).status).not.toBe(200);
    for (const path of [`/v1/intents/${id}`, `/v1/projects/${projectId}/members`, `/console/intents/${id}`]) {
      const answer = await t.call('GET', path, { headers: session.headers });
      expect([path, [403, 404].includes(answer.status)]).toEqual([path, true]);
    }
    expect(await statusOf(id)).toBe('pending');
  });

  it('that was ended, here or elsewhere, opens nothing', async () => {
    const [one, other] = [await signedIn(t.gate, t.owner.userId), await signedIn(t.gate, t.owner.userId)];
    await t.call('DELETE', `/console/account/sessions/${one.sessionId}`, { headers: other.headers });
    await t.call('POST', '/console/sign-out', { headers: other.headers, body: {} });
    const id = await ask();
    const body = await asShown(t.gate, id);
    for (const { headers } of [one, other]) {
      const answer = await t.expectUnchanged(() =>
        t.call('POST', `/v1/intents/${id}/approve`, { headers, body }),
      );
      expectRefused('B', answer, 401, 'UNAUTHORIZED');
    }
  });
});

describe('a cookie beside a key', () => {
  it('the key counts: what it may not, the session does not lend it', async () => {
    const id = await ask();
    const headers = { cookie: cookie(), origin: 'http://localhost:4000' };
    for (const [key, status] of [
      [t.first.agent_key, 403],
      [t.first.verifier_key, 403],
      ['prm_secret_live_nonsense', 401],
      ['', 401],
    ] as const) {
      const authorization = key === '' ? 'Bearer' : `Bearer ${key}`;
      const answer = await t.call('POST', `/v1/intents/${id}/approve`, {
        headers: { ...headers, authorization },
        body: {},
      });
      expect(answer.status).toBe(status);
    }
    expect(await statusOf(id)).toBe('pending');
  });
});

describe('a stolen cookie', () => {
  it('approves nothing that asks for a passkey', async () => {
    const id = idOf(
      await t.surfaces[1].create(t.first.agent_key, 'payments.refund', {}, { proof_tier: 'passkey' }),
    );
    const headers = { cookie: cookie(), origin: 'http://localhost:4000' };
    const shown = await asShown(t.gate, id);
    for (const body of [shown, { ...shown, proof_session_id: 'prf_01hzzzzzzzzzzzzzzzzzzzzzzz' }]) {
      const answer = await t.call('POST', `/v1/intents/${id}/approve`, { headers, body });
      expect([answer.status, (answer.body.error as { code: string }).code]).toEqual([
        expect.any(Number),
        expect.stringMatching(/^(proof_required|invalid_proof)$/),
      ]);
    }
    expect(await statusOf(id)).toBe('pending');
  });

  it('does not become the account: nothing of how one signs in changes without the password', async () => {
    const thief = await signedIn(t.gate, t.owner.userId);
    t.clock.advance(16 * 60);
    for (const [method, path, body] of [
      ['POST', '/console/account/password', { password: 'seven blue kettles sing' }],
      ['POST', '/console/account/totp', {}],
      ['POST', '/console/account/recovery-codes', {}],
      ['DELETE', '/console/account/totp', undefined],
      ['POST', '/console/account/passkeys/options', {}],
      ['DELETE', '/console/account/passkeys/pky_none', undefined],
      ['DELETE', '/console/account/identities/idn_none', undefined],
    ] as const) {
      const answer = await t.expectUnchanged(() => t.call(method, path, { headers: thief.headers, body }));
      expectRefused('B', answer, 403, 'PROOF_REQUIRED');
    }
  });
});
