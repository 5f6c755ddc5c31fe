/**
 * Threat 14: a session whose holder lost their role or ended it. Also, the gate compares an origin with its own origin,
 * not with the Host header.
 */
import { request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { changeRole } from '../../packages/server/src/people/members/change-role.ts';
import { removeMember } from '../../packages/server/src/people/members/remove-member.ts';
import { asShown } from '../../packages/server/test/fixtures/as-shown.ts';
import type { Person } from '../../packages/server/test/fixtures/open-test-gate.ts';
import { signedIn } from '../../packages/server/test/fixtures/signed-in.ts';
import { type Arena, openArena } from './open-arena.ts';
import { expectRefused, idOf } from './surfaces.ts';

let t: Arena;
beforeAll(async () => {
  t = await openArena({ mode: 'live' });
});
afterAll(() => t.close());

const ask = async () => idOf(await t.surfaces[1].create(t.first.agent_key, 'payments.refund', { amount: 5 }));
const statusOf = async (id: string) => (await t.gate.storage.read.findIntent(id))?.status;

it('over a real connection, an origin is compared with the gate’s own, not with the Host header', async () => {
  await t.app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = t.app.server.address() as AddressInfo;
  const id = await ask();
  const { cookie } = await signedIn(t.gate, t.owner.userId);
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
  expect(await approve({ cookie, ...evil })).toBe(403);
  expect(await approve({ cookie, 'x-forwarded-host': 'evil.example', ...evil })).toBe(403);
  expect(await statusOf(id)).toBe('pending');
  expect(await approve({ cookie, origin: 'http://localhost:4000' })).toBe(200);
});

describe('a session that is no longer valid', () => {
  let ann: Person;
  beforeAll(async () => {
    ann = await t.addPerson('ann@example.org', 'approver');
  });

  it('decides nothing once its member is demoted, and reads nothing once the member is removed', async () => {
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

  it('approves nothing after it was ended, here or elsewhere', async () => {
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
