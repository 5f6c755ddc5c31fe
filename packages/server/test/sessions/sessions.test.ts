/** A session as a credential: what it may do, and everything that ends it. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  MOST_SESSIONS,
  SESSION_IDLE_SECONDS,
  SESSION_LIFETIME_SECONDS,
} from '../../src/gate/access/session.ts';
import { changeRole } from '../../src/people/members/change-role.ts';
import { removeMember } from '../../src/people/members/remove-member.ts';
import { asShown } from '../fixtures/as-shown.ts';
import type { Person } from '../fixtures/open-test-gate.ts';
import { type SignedIn, signedIn } from '../fixtures/signed-in.ts';
import { openTestApp, type TestApp } from '../http/open-test-app.ts';

let t: TestApp;
let approver: Person;
let ann: SignedIn;

beforeEach(async () => {
  t = await openTestApp({ mode: 'live' });
  approver = await t.addPerson('ann@example.org', 'approver');
  ann = await signedIn(t.gate, approver.userId);
});
afterEach(() => t.close());

async function request(): Promise<string> {
  const { body } = await t.call('POST', '/v1/intents', {
    key: t.first.agent_key,
    body: { action: 'payments.refund', params: { amount: 5 } },
  });
  return String(body.id);
}

const statusOf = async (id: string) => (await t.gate.storage.read.findIntent(id))?.status;
const whoAmI = async (headers: Record<string, string>) =>
  (await t.call('GET', '/console/session', { headers })).body.signed_in;

const ALL_ALLOWED = {
  name: 'all',
  default: { approvers: ['role:approver'], min_approvals: 1 },
  rules: [{ name: 'all', match: { action: '*' }, effect: 'allow' }],
};

describe('a session', () => {
  test('lets a person who is present decide on surface A, and `session` is recorded as the method', async () => {
    const id = await request();
    const answer = await t.call('PATCH', `/api/intents/${id}`, {
      headers: ann.headers,
      body: { decision: 'approve', ...(await asShown(t.gate, id)) },
    });
    expect([answer.status, answer.body.status]).toEqual([200, 'approved']);
    expect(answer.body).not.toHaveProperty('permit_token');
    const intent = await t.gate.storage.read.findIntent(id);
    expect(intent?.approvals).toEqual([{ by: 'ann@example.org', at: expect.any(String), method: 'session' }]);
  });

  test('decides on surface B as well, and reads the projects of its person', async () => {
    const id = await request();
    const answer = await t.call('POST', `/v1/intents/${id}/deny`, { headers: ann.headers, body: {} });
    expect([answer.status, answer.body.status]).toEqual([200, 'denied']);
    expect((await t.call('GET', '/api/intents', { headers: ann.headers })).status).toBe(200);
    expect(
      (await t.call('GET', `/v1/projects/${t.projectId}/members`, { headers: ann.headers })).status,
    ).toBe(200);
  });

  test('cannot create requests or verify permits, and manages projects only if the role allows it', async () => {
    const refused = [
      await t.call('POST', '/v1/intents', { headers: ann.headers, body: { action: 'deploy' } }),
      await t.call('POST', '/v1/permits/validate', { headers: ann.headers, body: { token: 'x' } }),
      await t.call('POST', `/v1/projects/${t.projectId}/stop`, { headers: ann.headers, body: {} }),
    ];
    expect(refused.map(({ status }) => status)).toEqual([403, 403, 403]);
    expect((await t.project()).stoppedAt).toBeNull();
    const owner = await signedIn(t.gate, t.owner.userId);
    const stopped = await t.call('POST', `/v1/projects/${t.projectId}/stop`, {
      headers: owner.headers,
      body: {},
    });
    expect(stopped.status).toBe(200);
  });

  test('without presence in the last 15 minutes cannot add keys, people or rules, but can still stop everything', async () => {
    const owner = await signedIn(t.gate, t.owner.userId);
    t.clock.advance(15 * 60 + 1);
    const inProject = (method: string, path: string, body: unknown) =>
      t.call(method, `/v1/projects/${t.projectId}/${path}`, {
        headers: { ...owner.headers, 'idempotency-key': path },
        body,
      });
    const tries = () => [
      inProject('POST', 'keys', { kind: 'secret', name: 'left behind' }),
      inProject('POST', 'members', { email: 'thief@example.org', role: 'owner' }),
      inProject('PUT', 'policies', ALL_ALLOWED),
      inProject('POST', 'erasures', { person: 'ann@example.org' }),
      inProject('POST', 'agents', { name: 'left behind' }),
      inProject('PATCH', `agents/${t.agentId}`, { labels: { team: 'trusted' } }),
      inProject('POST', `agents/${t.agentId}/resume`, {}),
      inProject('POST', 'start', {}),
    ];
    const before = await t.project();
    for (const { status, body } of await Promise.all(tries())) {
      expect([status, body.error]).toMatchObject([403, { code: 'proof_required', proof_tier: 'session' }]);
    }
    expect(await t.project()).toEqual(before);
    expect((await inProject('POST', `agents/${t.agentId}/pause`, {})).status).toBe(200);
    expect((await inProject('POST', 'stop', {})).status).toBe(200);

    // After a confirmation, the same requests under the same keys are accepted.
    await t.gate.storage.transaction((tx) => tx.confirmSession(owner.sessionId, t.clock.now()));
    const [key, member] = await Promise.all(tries());
    expect([key?.status, member?.status]).toEqual([201, 201]);
  });

  test('creates secret keys that belong to its person', async () => {
    const owner = await signedIn(t.gate, t.owner.userId);
    const made = await t.call('POST', `/v1/projects/${t.projectId}/keys`, {
      headers: owner.headers,
      body: { kind: 'secret', name: 'mine' },
    });
    expect(made.status).toBe(201);
    expect(await t.callerOf(String(made.body.key))).toMatchObject({ owner: { id: t.owner.userId } });
  });
});

describe('the origin check of a session', () => {
  test.each([
    ['another origin', { origin: 'https://evil.example' }],
    ['an opaque origin', { origin: 'null' }],
    ['another port', { origin: 'http://localhost:4001' }],
    ['no origin, from another site', { 'sec-fetch-site': 'cross-site' }],
    ['no origin, from another host of the site', { 'sec-fetch-site': 'same-site' }],
    ['neither header', {}],
  ])('refuses a request with %s, and changes nothing', async (_name, headers) => {
    const id = await request();
    const answer = await t.call('PATCH', `/api/intents/${id}`, {
      headers: { cookie: ann.cookie, ...(headers as Record<string, string>) },
      body: { decision: 'approve', ...(await asShown(t.gate, id)) },
    });
    expect([answer.status, answer.body.error]).toMatchObject([403, { required: 'same_origin' }]);
    expect(await statusOf(id)).toBe('pending');
  });

  test('accepts Sec-Fetch-Site: same-origin if there is no Origin header', async () => {
    const id = await request();
    const answer = await t.call('PATCH', `/api/intents/${id}`, {
      headers: { cookie: ann.cookie, 'sec-fetch-site': 'same-origin' },
      body: { decision: 'deny' },
    });
    expect(answer.status).toBe(200);
  });
});

describe('a key', () => {
  test('counts alone if it is sent beside a session, even if it is wrong', async () => {
    const id = await request();
    const wrong = await t.call('PATCH', `/api/intents/${id}`, {
      headers: { ...ann.headers, authorization: 'Bearer nonsense' },
      body: { decision: 'approve' },
    });
    expect(wrong.status).toBe(401);
    const agents = await t.call('PATCH', `/api/intents/${id}`, {
      key: t.first.agent_key,
      headers: ann.headers,
      body: { decision: 'approve', ...(await asShown(t.gate, id)) },
    });
    expect(agents.status).toBe(403);
    expect(await statusOf(id)).toBe('pending');
  });

  test('is refused on the dashboard’s own routes', async () => {
    const answer = await t.call('GET', '/console/account/sessions', { key: t.first.secret_key });
    expect([answer.status, answer.body.error]).toMatchObject([403, { required: 'session' }]);
  });
});

describe('the end of a session', () => {
  const tries = () => t.call('GET', '/api/intents', { headers: ann.headers });

  test('signing out ends the session at once and clears its cookie', async () => {
    expect(await whoAmI(ann.headers)).toBe(true);
    const out = await t.call('POST', '/console/sign-out', { headers: ann.headers, body: {} });
    expect(out.status).toBe(204);
    expect(out.headers['set-cookie']).toMatch(
      /^__Host-permitry_session=; Max-Age=0; Path=\/; HttpOnly; Secure/,
    );
    expect((await tries()).status).toBe(401);
    expect(await whoAmI(ann.headers)).toBe(false);
  });

  test('a session ends after half a day without use, but not while it is used', async () => {
    t.clock.advance(SESSION_IDLE_SECONDS - 1);
    expect((await tries()).status).toBe(200);
    await t.lastUsed.flush();
    t.clock.advance(SESSION_IDLE_SECONDS - 1);
    expect((await tries()).status).toBe(200);
    t.clock.advance(1);
    expect((await tries()).status).toBe(401);
  });

  test('requests that an open page makes by itself do not count as use', async () => {
    const looks = () =>
      t.call('GET', '/api/intents', { headers: { ...ann.headers, 'x-permitry-unattended': '1' } });
    t.clock.advance(SESSION_IDLE_SECONDS - 1);
    expect((await looks()).status).toBe(200);
    await t.lastUsed.flush();
    t.clock.advance(1);
    expect((await looks()).status).toBe(401);
  });

  test('a session ends after a week, however busy it is', async () => {
    for (let passed = 0; passed < SESSION_LIFETIME_SECONDS; passed += SESSION_IDLE_SECONDS / 2) {
      expect((await tries()).status).toBe(200);
      await t.lastUsed.flush();
      t.clock.advance(SESSION_IDLE_SECONDS / 2);
    }
    expect((await tries()).status).toBe(401);
  });

  test('a removed member sees nothing and a demoted one decides nothing, from the next call on', async () => {
    const id = await request();
    const body = { decision: 'approve', ...(await asShown(t.gate, id)) };
    const decide = () => t.call('PATCH', `/api/intents/${id}`, { headers: ann.headers, body });
    const { projectId } = t;
    await changeRole(t.gate, t.operator, { projectId, userId: approver.userId, role: 'viewer' });
    expect((await decide()).status).toBe(403);
    await removeMember(t.gate, t.operator, { projectId, userId: approver.userId });
    expect([403, 404]).toContain((await decide()).status);
    expect((await t.call('GET', `/api/intents/${id}`, { headers: ann.headers })).status).not.toBe(200);
    expect(await statusOf(id)).toBe('pending');
  });

  test('people can end their own sessions, but not those of others', async () => {
    const elsewhere = await signedIn(t.gate, approver.userId);
    const owner = await signedIn(t.gate, t.owner.userId);
    const end = (id: string) => t.call('DELETE', `/console/account/sessions/${id}`, { headers: ann.headers });
    expect((await end(owner.sessionId)).status).toBe(404);
    expect(await whoAmI(owner.headers)).toBe(true);
    expect((await end(elsewhere.sessionId)).status).toBe(204);
    expect(await whoAmI(elsewhere.headers)).toBe(false);
    const listed = await t.call('GET', '/console/account/sessions', { headers: ann.headers });
    expect(listed.body.data).toMatchObject([{ id: ann.sessionId, current: true }]);
  });

  test('ending all other sessions keeps the current one', async () => {
    const others = [await signedIn(t.gate, approver.userId), await signedIn(t.gate, approver.userId)];
    const answer = await t.call('POST', '/console/account/sessions/end-others', {
      headers: ann.headers,
      body: {},
    });
    expect(answer.body).toEqual({ ended: 2 });
    expect(await Promise.all([ann, ...others].map(({ headers }) => whoAmI(headers)))).toEqual([
      true,
      false,
      false,
    ]);
  });

  test('a session beyond the limit ends the one unused for longest, and the audit log records this', async () => {
    const others: SignedIn[] = [];
    while (others.length < MOST_SESSIONS - 1) {
      t.clock.advance(1);
      others.push(await signedIn(t.gate, approver.userId));
    }
    // Ann's session began first, but it is the only one in use, so it is not the next to end.
    t.clock.advance(60);
    expect((await tries()).status).toBe(200);
    await t.lastUsed.flush();
    const owner = await signedIn(t.gate, t.owner.userId);
    const one = await signedIn(t.gate, approver.userId);
    const [first, ...rest] = others;
    expect(await whoAmI(first?.headers ?? {})).toBe(false);
    for (const kept of [ann, one, owner, ...rest]) expect(await whoAmI(kept.headers)).toBe(true);
    const listed = await t.call('GET', '/console/account/sessions', { headers: ann.headers });
    expect(listed.body.data).toHaveLength(MOST_SESSIONS);
    expect(await t.events(t.projectId, 'session.crowded_out')).toMatchObject([
      { actor: { type: 'system' }, data: { user_id: approver.userId, session_id: first?.sessionId } },
    ]);
  });

  test('concurrent sign-ins leave no more sessions than the limit', async () => {
    await Promise.all(Array.from({ length: MOST_SESSIONS + 5 }, () => signedIn(t.gate, approver.userId)));
    const listed = await t.gate.storage.read.listSessions(approver.userId);
    expect(listed).toHaveLength(MOST_SESSIONS);
  });

  test('expired sessions make room without an event in the audit log', async () => {
    for (let made = 1; made < MOST_SESSIONS; made += 1) await signedIn(t.gate, approver.userId);
    t.clock.advance(SESSION_IDLE_SECONDS);
    const back = await signedIn(t.gate, approver.userId);
    expect(await whoAmI(back.headers)).toBe(true);
    expect(await t.events(t.projectId, 'session.crowded_out')).toEqual([]);
  });
});
