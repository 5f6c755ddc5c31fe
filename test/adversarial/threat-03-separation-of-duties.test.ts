/** Threat 3: in live mode nobody's programs approve what a program of the same person asked for. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createUserToken } from '../../packages/server/src/people/keys/user-token.ts';
import { broughtIn } from '../../packages/server/test/fixtures/brought-in.ts';
import type { Person } from '../../packages/server/test/fixtures/open-test-gate.ts';
import { type Arena, openArena } from './open-arena.ts';
import { expectRefused, idOf } from './surfaces.ts';

let t: Arena;
let ann: Person;
let bob: Person;
/** By who holds it: keys that all act for Ann. */
let ofAnn: Record<'first service' | 'second service' | 'token' | 'token without rights to manage', string>;
beforeAll(async () => {
  t = await openArena({ mode: 'live' });
  ann = await t.addPerson('ann@example.org', 'admin');
  bob = await t.addPerson('bob@example.org', 'approver');
  const first = await t.addService('ann@example.org', 'first');
  const second = await t.addService('ann@example.org', 'second');
  const { key } = await createUserToken(t.gate, t.operator, {
    name: 'deciding',
    email: 'ann@example.org',
    rights: ['decide'],
  });
  ofAnn = {
    'first service': first.key,
    'second service': second.key,
    token: ann.token,
    'token without rights to manage': key,
  };
});
afterAll(() => t.close());

async function secretKeyMadeByAnn(): Promise<string> {
  const answer = await t.call('POST', `/v1/projects/${t.projectId}/keys`, {
    present: ann,
    body: { kind: 'secret', name: 'made' },
  });
  expect(answer.status).toBe(201);
  return String(answer.body.key);
}

/** As her program left it where it could still make keys, and as a member whom it brought in makes it. */
async function agentKeyMadeByHerMaking(): Promise<string> {
  const helper = await broughtIn(t, [ann], `helper-${t.clock.now()}@example.org`, 'admin');
  const answer = await t.call('POST', `/v1/projects/${t.projectId}/keys`, {
    headers: helper.headers,
    body: { kind: 'agent', name: 'made', agent_id: t.agentId },
  });
  expect(answer.status).toBe(201);
  return String(answer.body.key);
}

const REQUESTERS: readonly [string, () => Promise<string>][] = [
  ['her service', async () => ofAnn['first service']],
  ['a secret key she made, present,', secretKeyMadeByAnn],
  ['an agent with a key made by a member of her making', agentKeyMadeByHerMaking],
];

describe.each([0, 1] as const)('surface %#', (which) => {
  describe.each(REQUESTERS)('what %s asked for', (_name, requester) => {
    it.each([false, true])(
      'is approved by none of her programs, where programs may approve: %s',
      async (programs) => {
        await t.putPolicy({ approvers: ['role:approver'], programs });
        const surface = t.surfaces[which];
        const id = idOf(await surface.create(await requester(), 'payments.refund', { amount: 5 }));
        for (const program of Object.values(ofAnn)) {
          const answer = await t.expectUnchanged(() => surface.approve(program, id), ['access.refused']);
          expectRefused(surface.name, answer, 403, 'FORBIDDEN', { required: 'person' });
          t.clock.advance(60);
        }
        const approved = await surface.approve(bob, id);
        expect(approved.body).toMatchObject({ status: 'approved', resolved_by: 'bob@example.org' });
      },
    );

    it('is approved by her in person, and denied by any of her programs', async () => {
      const surface = t.surfaces[which];
      const key = await requester();
      const approved = idOf(await surface.create(key, 'payments.refund', { amount: 6 }));
      expect((await surface.approve(ann, approved)).body.status).toBe('approved');
      for (const program of Object.values(ofAnn)) {
        const id = idOf(await surface.create(key, 'payments.refund', { amount: 6 }));
        expect((await surface.deny(program, id)).body).toMatchObject({
          status: 'denied',
          resolved_by: 'ann@example.org',
        });
      }
    });
  });

  it('naming herself as the only approver does not help her programs', async () => {
    const surface = t.surfaces[which];
    await t.putPolicy({ approvers: ['role:approver'], programs: true });
    const approvers = { approvers: ['ann@example.org'] };
    const id = idOf(await surface.create(ofAnn['first service'], 'payments.refund', {}, approvers));
    const answer = await t.expectUnchanged(() => surface.approve(ann.token, id), ['access.refused']);
    expectRefused(surface.name, answer, 403, 'FORBIDDEN', { required: 'person' });
    expectRefused(surface.name, await surface.approve(bob, id), 403, 'FORBIDDEN', {
      required: 'ann@example.org',
    });
    // Bob is not named, and may deny it all the same.
    expect((await surface.deny(bob.token, id)).body).toMatchObject({ status: 'denied' });
  });

  it('a quorum of two is not met by a program of the requester’s owner and one other', async () => {
    const surface = t.surfaces[which];
    const two = { min_approvals: 2 };
    const id = idOf(await surface.create(ofAnn['first service'], 'payments.refund', {}, two));
    expect((await surface.approve(bob, id)).body.status).toBe('pending');
    expectRefused(surface.name, await surface.approve(ann.token, id), 403, 'FORBIDDEN');
    expect((await surface.approve(t.owner, id)).body.status).toBe('approved');
  });
});

describe('helpers of one’s own', () => {
  it.each(['service', 'token'])(
    'a %s cannot add, mint, promote, regroup or rewrite policy',
    async (program) => {
      const root = `/v1/projects/${t.projectId}`;
      const service = await t.addService('owner@example.org', 'owner’s');
      const key = program === 'service' ? service.key : t.owner.token;
      const attempts: (readonly [string, string, object?])[] = [
        ['POST', `${root}/members`, { email: 'accomplice@example.org', role: 'approver' }],
        ['POST', `${root}/keys`, { kind: 'secret', name: 'another' }],
        ['POST', `${root}/keys`, { kind: 'agent', name: 'another', agent_id: t.agentId }],
        ['POST', `${root}/keys/${t.secret.credentialId}/revoke`, {}],
        ['PATCH', `${root}/members/${bob.userId}`, { role: 'owner' }],
        ['DELETE', `${root}/members/${bob.userId}`],
        ['PUT', `${root}/groups/finance`, { members: ['owner@example.org'] }],
        [
          'PUT',
          `${root}/policies`,
          {
            name: 'p',
            default: { approvers: ['owner@example.org'] },
            rules: [{ name: 'all', effect: 'allow' }],
          },
        ],
      ];
      for (const [method, path, body] of attempts) {
        const answer = await t.expectUnchanged(() => t.call(method, path, { key, body }), ['access.refused']);
        expectRefused('B', answer, 403, 'FORBIDDEN');
      }
    },
  );

  it('a person who adds a member cannot give them a credential', async () => {
    const root = `/v1/projects/${t.projectId}`;
    const invited = await t.call('POST', `${root}/members`, {
      present: ann,
      body: { email: 'accomplice@example.org', role: 'approver' },
    });
    expect(invited.status).toBe(201);
    const { id } = invited.body;
    for (const body of [
      { kind: 'user', name: 'x' },
      { kind: 'user', name: 'x', email: 'accomplice@example.org', rights: ['decide'] },
      { kind: 'secret', name: 'x', owner_id: id },
      { kind: 'secret', name: 'x', owner: 'accomplice@example.org' },
      { kind: 'secret', name: 'x', owner_email: 'accomplice@example.org' },
      { kind: 'agent', name: 'x', agent_id: t.agentId, owner_id: null },
    ]) {
      const answer = await t.expectUnchanged(() => t.call('POST', `${root}/keys`, { present: ann, body }));
      expectRefused('B', answer, 400, 'INVALID_FIELDS');
    }
    const minted = await t.call('POST', `${root}/keys`, {
      present: ann,
      body: { kind: 'secret', name: 'x' },
    });
    expect(minted.body.owner_id).toBe(ann.userId);
  });

  it('nobody makes a role above their own, their own included', async () => {
    const root = `/v1/projects/${t.projectId}`;
    const { headers } = await ann.signIn();
    for (const [method, path, body] of [
      ['POST', `${root}/members`, { email: 'new-owner@example.org', role: 'owner' }],
      ['PATCH', `${root}/members/${ann.userId}`, { role: 'owner' }],
      ['PATCH', `${root}/members/${t.owner.userId}`, { role: 'viewer' }],
      ['DELETE', `${root}/members/${t.owner.userId}`, undefined],
    ] as const) {
      const answer = await t.expectUnchanged(
        () => t.call(method, path, { headers, body }),
        ['access.refused'],
      );
      expectRefused('B', answer, 403, 'FORBIDDEN', { required: 'role:owner' });
    }
  });
});

it('in test mode one secret key walks the whole path', async () => {
  const easy = await openArena({ mode: 'test' });
  for (const surface of easy.surfaces) {
    const id = idOf(await surface.create(easy.first.secret_key, 'payments.refund'));
    expect((await surface.approve(easy.first.secret_key, id)).body.status).toBe('approved');
  }
  await easy.close();
});
