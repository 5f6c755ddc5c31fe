/** Threat 3: in live mode nobody's programs decide what a program of the same person asked for. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createUserToken } from '../../packages/server/src/identity/keys/user-token.ts';
import type { Person } from '../../packages/server/test/fixtures/open-test-gate.ts';
import { expectRefused, idOf } from './doors.ts';
import { type Arena, openArena } from './open-arena.ts';

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

async function keyMintedByAnn(): Promise<string> {
  const answer = await t.call('POST', `/v1/projects/${t.projectId}/keys`, {
    key: ann.token,
    body: { kind: 'agent', name: 'minted', agent_id: t.agentId },
  });
  expect(answer.status).toBe(201);
  return String(answer.body.key);
}

async function secretKeyMintedByAnn(): Promise<string> {
  const answer = await t.call('POST', `/v1/projects/${t.projectId}/keys`, {
    key: ann.token,
    body: { kind: 'secret', name: 'minted' },
  });
  expect(answer.status).toBe(201);
  return String(answer.body.key);
}

const REQUESTERS: readonly [string, () => Promise<string>][] = [
  ['her service', async () => ofAnn['first service']],
  ['a secret key her token minted', secretKeyMintedByAnn],
  ['an agent whose key her token minted', keyMintedByAnn],
];

describe.each([0, 1] as const)('surface %#', (which) => {
  describe.each(REQUESTERS)('what %s asked for', (_name, requester) => {
    it('is decided by none of her programs, and by somebody else', async () => {
      const door = t.doors[which];
      const key = await requester();
      const id = idOf(await door.create(key, 'payments.refund', { amount: 5 }));
      for (const program of Object.values(ofAnn)) {
        for (const decide of [door.approve, door.deny]) {
          const answer = await t.expectUnchanged(() => decide(program, id), ['access.refused']);
          expectRefused(door.name, answer, 403, 'FORBIDDEN', { required: 'separation_of_duties' });
        }
        t.clock.advance(60);
      }
      const approved = await door.approve(bob.token, id);
      expect(approved.body).toMatchObject({ status: 'approved', resolved_by: 'bob@example.org' });
    });
  });

  it('naming herself as the only approver does not help', async () => {
    const door = t.doors[which];
    const approvers = { approvers: ['ann@example.org'] };
    const id = idOf(await door.create(ofAnn['first service'], 'payments.refund', {}, approvers));
    const answer = await t.expectUnchanged(() => door.approve(ann.token, id), ['access.refused']);
    expectRefused(door.name, answer, 403, 'FORBIDDEN', { required: 'separation_of_duties' });
    // And Bob, who is not named, may not either: it is left to expire or to be withdrawn.
    expectRefused(door.name, await door.approve(bob.token, id), 403, 'FORBIDDEN', {
      required: 'ann@example.org',
    });
  });

  it('a quorum of two is not met by the requester’s owner and one other', async () => {
    const door = t.doors[which];
    const two = { min_approvals: 2 };
    const id = idOf(await door.create(ofAnn['first service'], 'payments.refund', {}, two));
    expect((await door.approve(bob.token, id)).body.status).toBe('pending');
    expectRefused(door.name, await door.approve(ann.token, id), 403, 'FORBIDDEN');
    expect((await door.approve(t.owner.token, id)).body.status).toBe('approved');
  });
});

describe('helpers of one’s own', () => {
  it('a service cannot invite, mint, promote, regroup or rewrite policy in live mode', async () => {
    const root = `/v1/projects/${t.projectId}`;
    const { key } = await t.addService('owner@example.org', 'owner’s');
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
  });

  it('a person’s token that invites cannot give the invited one a credential', async () => {
    const root = `/v1/projects/${t.projectId}`;
    const invited = await t.call('POST', `${root}/members`, {
      key: ann.token,
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
      const answer = await t.expectUnchanged(() => t.call('POST', `${root}/keys`, { key: ann.token, body }));
      expectRefused('B', answer, 400, 'INVALID_FIELDS');
    }
    const minted = await t.call('POST', `${root}/keys`, {
      key: ann.token,
      body: { kind: 'secret', name: 'x' },
    });
    expect(minted.body.owner_id).toBe(ann.userId);
  });

  it('nobody makes a role above their own, their own included', async () => {
    const root = `/v1/projects/${t.projectId}`;
    for (const [method, path, body] of [
      ['POST', `${root}/members`, { email: 'new-owner@example.org', role: 'owner' }],
      ['PATCH', `${root}/members/${ann.userId}`, { role: 'owner' }],
      ['PATCH', `${root}/members/${t.owner.userId}`, { role: 'viewer' }],
      ['DELETE', `${root}/members/${t.owner.userId}`, undefined],
    ] as const) {
      const answer = await t.expectUnchanged(
        () => t.call(method, path, { key: ann.token, body }),
        ['access.refused'],
      );
      expectRefused('B', answer, 403, 'FORBIDDEN', { required: 'role:owner' });
    }
  });
});

it('in test mode one secret key walks the whole path', async () => {
  const easy = await openArena({ mode: 'test' });
  for (const door of easy.doors) {
    const id = idOf(await door.create(easy.first.secret_key, 'payments.refund'));
    expect((await door.approve(easy.first.secret_key, id)).body.status).toBe('approved');
  }
  await easy.close();
});
