/** Threat 22: a requester names approvers, and gets none that are easier or fewer, and keeps nobody from denying. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { saveGroup } from '../../packages/server/src/people/groups/save-group.ts';
import { OPERATOR, type Person } from '../../packages/server/test/fixtures/open-test-gate.ts';
import { type Arena, openArena } from './open-arena.ts';
import { expectInvalidPermit, expectRefused, idOf, permitOf } from './surfaces.ts';

const ACTION = 'payments.refund';
const PARAMS = { amount: 5 };

let t: Arena;
let ann: Person;
let bob: Person;
let cem: Person;
let friend: Person;
beforeAll(async () => {
  t = await openArena({ mode: 'live' });
  ann = await t.addPerson('ann@example.org', 'approver');
  bob = await t.addPerson('bob@example.org', 'approver');
  cem = await t.addPerson('cem@example.org', 'approver');
  friend = await t.addPerson('friend@example.org', 'approver');
  await setGroup('finance', [ann, bob]);
  await setGroup('security', [cem]);
});
beforeEach(() => t.putPolicy({ approvers: ['finance'] }));
afterAll(() => t.close());

async function setGroup(name: string, people: readonly Person[]): Promise<void> {
  const members = people.map(({ email }) => email);
  await saveGroup(t.gate, OPERATOR, { projectId: t.projectId, name, members });
}

const ask = (which: 0 | 1, more: object) => t.surfaces[which].create(t.first.agent_key, ACTION, PARAMS, more);
const askFor = async (which: 0 | 1, more: object) => idOf(await ask(which, more));

describe.each([0, 1] as const)('surface %#', (which) => {
  it('a friend whom policy does not ask is refused, alone, unknown or beside others', async () => {
    const surface = t.surfaces[which];
    const messages = new Set<unknown>();
    for (const approvers of [
      ['friend@example.org'],
      ['nobody@example.org'],
      ['ann@example.org', 'nobody@example.org'],
      ['security'],
      ['role:nobody'],
    ]) {
      const answer = await t.expectUnchanged(() => ask(which, { approvers }));
      expectRefused(surface.name, answer, 422, 'APPROVER_NOT_FOUND', { approvers });
      messages.add((answer.body.error as { message: string }).message);
    }
    for (const more of [{ min_approvals: 3 }, { approvers: ['ann@example.org'], min_approvals: 2 }]) {
      const answer = await t.expectUnchanged(() => ask(which, more));
      expectRefused(surface.name, answer, 422, 'APPROVER_NOT_FOUND', { approvers: more.approvers ?? [] });
      messages.add((answer.body.error as { message: string }).message);
    }
    // One sentence for all of it: whom policy asks is not to be found out by it.
    expect(messages.size).toBe(1);
    expect([...messages].join()).not.toContain('finance');
  });

  it('min_approvals of 1 lowers no count of policy’s', async () => {
    await t.putPolicy({ approvers: ['finance'], min_approvals: 2 });
    const surface = t.surfaces[which];
    const id = await askFor(which, { approvers: ['finance'], min_approvals: 1 });
    expect((await surface.approve(ann, id)).body).toMatchObject({ status: 'pending' });
    expect((await surface.approve(bob, id)).body).toMatchObject({ status: 'approved' });
  });

  it('a name that serves one entry takes nobody out of another', async () => {
    await t.putPolicy({ approvers: ['role:owner'] }, [
      {
        name: 'both',
        match: { action: ACTION },
        effect: 'require_approval',
        require: [
          { from: ['finance'], count: 1 },
          { from: ['security'], count: 1 },
        ],
      },
    ]);
    const surface = t.surfaces[which];
    const id = await askFor(which, { approvers: ['ann@example.org'] });
    expectRefused(surface.name, await surface.approve(bob, id), 403, 'FORBIDDEN');
    expect((await surface.approve(ann, id)).body).toMatchObject({ status: 'pending', resolved_by: null });
    expect((await surface.approve(cem, id)).body).toMatchObject({ status: 'approved' });
  });

  it('a free action is asked of the default, not of the friend named', async () => {
    await t.putPolicy({ approvers: ['finance'] }, [
      { name: 'free', match: { action: ACTION }, effect: 'allow' },
    ]);
    const surface = t.surfaces[which];
    const refused = await t.expectUnchanged(() => ask(which, { approvers: ['friend@example.org'] }));
    expectRefused(surface.name, refused, 422, 'APPROVER_NOT_FOUND');
    const id = await askFor(which, { approvers: ['ann@example.org'] });
    expectRefused(surface.name, await surface.approve(friend, id), 403, 'FORBIDDEN');
    expect((await surface.approve(ann, id)).body).toMatchObject({ status: 'approved' });
  });

  it('those not named see it, with whom it was asked of, and deny it; nobody else does', async () => {
    const surface = t.surfaces[which];
    for (const who of [bob, t.owner]) {
      const id = await askFor(which, { approvers: ['ann@example.org'], proof_tier: 'passkey' });
      const list = await t.call('GET', '/console/inbox', { key: who.token });
      const [item] = list.body.data as Record<string, unknown>[];
      expect(item).toMatchObject({ id, asked_of: ['ann@example.org'], can_decide: false });
      const shown = await t.call('GET', `/console/intents/${id}`, { key: who.token });
      expect(shown.body).toMatchObject({ asked_of: ['ann@example.org'], can_approve: false, can_deny: true });
      const refused = await t.expectUnchanged(() => surface.deny(friend.token, id), ['access.refused']);
      expectRefused(surface.name, refused, 403, 'FORBIDDEN');
      expect((await surface.deny(who.token, id, { reason: 'No.' })).body).toMatchObject({
        status: 'denied',
        resolved_by: who.email,
      });
      t.clock.advance(60);
    }
  });

  it('where the requester may not narrow, no name is taken, but for an entry with or_named', async () => {
    const surface = t.surfaces[which];
    const no = { requester_may_narrow: false };
    await t.putPolicy({ approvers: ['finance'] }, [], no);
    const refused = await t.expectUnchanged(() => ask(which, { approvers: ['ann@example.org'] }));
    expectRefused(surface.name, refused, 422, 'APPROVER_NOT_FOUND', { approvers: ['ann@example.org'] });
    await t.putPolicy({ approvers: ['finance'], or_named: ['security'] }, [], no);
    const id = await askFor(which, { approvers: ['cem@example.org'] });
    expect((await surface.approve(cem, id)).body).toMatchObject({ status: 'approved' });
    const other = await askFor(which, { approvers: ['cem@example.org'] });
    expect((await surface.approve(ann, other)).body).toMatchObject({ status: 'approved' });
    const unnamed = await askFor(which, {});
    expectRefused(surface.name, await surface.approve(cem, unnamed), 403, 'FORBIDDEN');
  });

  it('where the requester may narrow, a named member of an or_named group takes the place alone', async () => {
    const surface = t.surfaces[which];
    await t.putPolicy({ approvers: ['finance'], or_named: ['security'] });
    const id = await askFor(which, { approvers: ['cem@example.org'] });
    const refused = await t.expectUnchanged(() => surface.approve(ann, id), ['access.refused']);
    expectRefused(surface.name, refused, 403, 'FORBIDDEN');
    expect((await surface.approve(cem, id)).body).toMatchObject({ status: 'approved' });
    const denied = await askFor(which, { approvers: ['cem@example.org'] });
    expect((await surface.deny(ann.token, denied)).body).toMatchObject({ status: 'denied' });
  });

  it('a permit holds no longer once policy asks for others than those who were named', async () => {
    const surface = t.surfaces[which];
    await t.putPolicy({ approvers: ['finance'], or_named: ['security'] });
    const id = await askFor(which, { approvers: ['cem@example.org'] });
    await surface.approve(cem, id);
    const token = permitOf(await surface.read(t.first.agent_key, id));
    await t.putPolicy({ approvers: ['finance'] });
    const use = { token, action: ACTION, params: PARAMS, consume: true };
    const answer = await t.expectUnchanged(() => surface.verify(t.first.verifier_key, use));
    expectInvalidPermit(surface.name, answer, 'policy_changed');
  });
});

it('policy that asks for others meanwhile is met beside what was fixed, not instead', async () => {
  const id = await askFor(1, { approvers: ['ann@example.org'] });
  await t.putPolicy({ approvers: ['security'] });
  const surface = t.surfaces[1];
  expect((await surface.approve(cem, id)).body).toMatchObject({ status: 'pending' });
  expect((await surface.approve(ann, id)).body).toMatchObject({ status: 'approved' });
});

it('a narrowed place goes to one of many who race for it, and a denial of somebody not named may win', async () => {
  for (let round = 0; round < 12; round += 1) {
    const id = await askFor(1, { approvers: ['ann@example.org'] });
    const votes = [
      () => t.surfaces[0].approve(ann, id),
      () => t.surfaces[1].approve(ann, id),
      () => t.surfaces[0].approve(bob, id),
      () => t.surfaces[1].deny(bob.token, id),
    ];
    const from = round % votes.length;
    const answers = await Promise.all([...votes.slice(from), ...votes.slice(0, from)].map((vote) => vote()));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    const ends = t.story(id).filter((type) => type === 'intent.approved' || type === 'intent.denied');
    expect(ends).toHaveLength(1);
    expect(t.rowsOf('issued', id)).toHaveLength(ends[0] === 'intent.approved' ? 1 : 0);
  }
});
