/** Threat 21: in live mode a program approves only where policy says so, and never for a common person. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { addDeviceKey } from '../../packages/server/src/people/device-keys/add-device-key.ts';
import { asShown } from '../../packages/server/test/fixtures/as-shown.ts';
import type { Person } from '../../packages/server/test/fixtures/open-test-gate.ts';
import { SoftwareDeviceKey } from '../../packages/server/test/fixtures/software-device-key.ts';
import { type Arena, openArena } from './open-arena.ts';
import { expectInvalidPermit, expectRefused, idOf, permitOf } from './surfaces.ts';

const ACTION = 'payments.refund';
const PARAMS = { amount: 5 };

let t: Arena;
let ann: Person;
let bob: Person;
let annsDevice: SoftwareDeviceKey;
/** Secret keys. */
let services: { anns: string; annsOther: string; bobs: string };
beforeAll(async () => {
  t = await openArena({ mode: 'live' });
  ann = await t.addPerson('ann@example.org', 'admin');
  bob = await t.addPerson('bob@example.org', 'admin');
  services = {
    anns: (await t.addService(ann.email, 'one')).key,
    annsOther: (await t.addService(ann.email, 'two')).key,
    bobs: (await t.addService(bob.email)).key,
  };
  annsDevice = new SoftwareDeviceKey();
  const key = { id: t.gate.ids.next('dvk'), jwk: annsDevice.jwk, name: 'laptop', address: null };
  const user = { id: ann.userId, email: ann.email };
  await t.gate.storage.transaction((tx) => addDeviceKey(t.gate, tx, user, key));
});
beforeEach(() => t.putPolicy({ approvers: ['role:approver'] }));
afterAll(() => t.close());

const PROGRAMS = () => [services.bobs, bob.token];
const letPrograms = () => t.putPolicy({ approvers: ['role:approver'], programs: true });
const ask = async (which: 0 | 1, key = services.anns) =>
  idOf(await t.surfaces[which].create(key, ACTION, PARAMS));

/** Approved by Ann's token, with a proof of her device. */
async function approveByDevice(id: string, key = ann.token) {
  const send = async (body: object) => {
    const answer = await t.call('POST', '/api/verify/proof', { key, body });
    return answer.body.proof_session as { id: string; challenge: string };
  };
  const { id: proof, challenge } = await send({ intent_id: id, decision: 'approve', method: 'device' });
  await send({ proof_session_id: proof, signals: { jws: annsDevice.prove(challenge) } });
  const body = { proof_session_id: proof, ...(await asShown(t.gate, id)) };
  return t.call('POST', `/v1/intents/${id}/approve`, { key, body });
}

describe.each([0, 1] as const)('surface %#', (which) => {
  it('approves nothing where no entry says programs, though its person may', async () => {
    const surface = t.surfaces[which];
    const id = await ask(which);
    for (const program of PROGRAMS()) {
      const answer = await t.expectUnchanged(() => surface.approve(program, id), ['access.refused']);
      expectRefused(surface.name, answer, 403, 'FORBIDDEN', { required: 'person' });
    }
    t.clock.advance(60);
    expect((await surface.approve(bob, id)).body).toMatchObject({ status: 'approved' });
  });

  it('approves in the place of an entry that says so, and in no other', async () => {
    const surface = t.surfaces[which];
    const rule = { name: 'two', match: { action: ACTION }, effect: 'require_approval' };
    const require = [
      { from: ['bob@example.org'], count: 1, programs: true },
      { from: ['role:owner'], count: 1 },
    ];
    await t.putPolicy({ approvers: ['role:approver'] }, [{ ...rule, require }]);
    const id = await ask(which);
    expect((await surface.approve(services.bobs, id)).body).toMatchObject({
      status: 'pending',
      approvals_received: 1,
      approvals_required: 2,
    });
    const answer = await t.expectUnchanged(() => surface.approve(t.owner.token, id), ['access.refused']);
    expectRefused(surface.name, answer, 403, 'FORBIDDEN', { required: 'person' });
    t.clock.advance(60);
    expect((await surface.approve(t.owner, id)).body).toMatchObject({ status: 'approved' });
  });

  it('approves for no common person, whatever the entry says: two programs of one person', async () => {
    await letPrograms();
    const surface = t.surfaces[which];
    const id = await ask(which);
    for (const program of [services.anns, services.annsOther, ann.token]) {
      const answer = await t.expectUnchanged(() => surface.approve(program, id), ['access.refused']);
      expectRefused(surface.name, answer, 403, 'FORBIDDEN', { required: 'person' });
    }
    t.clock.advance(60);
    expect((await surface.approve(services.bobs, id)).body).toMatchObject({ status: 'approved' });
  });

  it('has its vote counted at use only where policy says programs then', async () => {
    await letPrograms();
    const surface = t.surfaces[which];
    const id = await ask(which);
    await surface.approve(services.bobs, id);
    const token = permitOf(await surface.read(services.anns, id));
    const use = { token, action: ACTION, params: PARAMS };
    expect((await surface.verify(t.first.verifier_key, use)).body).toMatchObject({ authorizes: true });
    await t.putPolicy({ approvers: ['role:approver'] });
    for (const consume of [false, true]) {
      const answer = await t.expectUnchanged(() => surface.verify(t.first.verifier_key, { ...use, consume }));
      expectInvalidPermit(surface.name, answer, 'policy_changed');
    }
    await letPrograms();
    expect((await surface.verify(t.first.verifier_key, { ...use, consume: true })).body).toMatchObject({
      consumed: true,
    });
  });

  it('is not counted any more, of a quorum, once policy lets no programs approve', async () => {
    await t.putPolicy({ approvers: ['role:approver'], programs: true, min_approvals: 2 });
    const surface = t.surfaces[which];
    const id = await ask(which);
    expect((await surface.approve(services.bobs, id)).body).toMatchObject({ status: 'pending' });
    await t.putPolicy({ approvers: ['role:approver'], min_approvals: 2 });
    expect((await surface.approve(t.owner, id)).body).toMatchObject({ status: 'pending' });
    // The same person, present, is no second vote of theirs: it takes the place of their program's.
    expect((await surface.approve(bob, id)).body).toMatchObject({ status: 'approved' });
    expect(t.rowsOf('approvals', id)).toHaveLength(2);
  });

  it('denies what its person may deny, also for a common person', async () => {
    const surface = t.surfaces[which];
    for (const program of [services.annsOther, ...PROGRAMS()]) {
      const id = await ask(which);
      expect((await surface.deny(program, id)).body).toMatchObject({ status: 'denied' });
    }
  });
});

describe('a token with a proof by its person’s device', () => {
  it('approves as the person does', async () => {
    const id = await ask(1, services.bobs);
    expect((await approveByDevice(id)).body).toMatchObject({
      status: 'approved',
      approvals: [{ by: ann.email, method: 'device' }],
    });
  });

  it('approves nothing that the person’s own service requested: that takes a session', async () => {
    const id = await ask(1);
    const answer = await approveByDevice(id);
    expectRefused('B', answer, 403, 'FORBIDDEN', { required: 'session' });
    expect((await t.gate.storage.read.findIntent(id))?.status).toBe('pending');
    expect(t.rowsOf('approvals', id)).toEqual([]);
    expect((await t.surfaces[1].approve(ann, id)).body).toMatchObject({ status: 'approved' });
  });
});

it('programs of two people that race for one place of an entry fill it once', async () => {
  await letPrograms();
  for (let round = 0; round < 10; round += 1) {
    const id = await ask(1);
    const votes = [services.bobs, bob.token, services.anns, t.owner.token, ann.token].map((key, i) =>
      t.surfaces[(i % 2) as 0 | 1].approve(key, id),
    );
    const answers = await Promise.all(votes);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(t.rowsOf('issued', id)).toHaveLength(1);
    const [vote, ...others] = t.rowsOf('approvals', id);
    expect(others).toEqual([]);
    expect([bob.userId, t.owner.userId]).toContain(vote?.user_id);
    t.clock.advance(60);
  }
});
