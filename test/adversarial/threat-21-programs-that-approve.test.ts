/**
 * Threat 21: a token with a proof by its person's device counts as that person, except for requests of their own
 * programs.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { addDeviceKey } from '../../packages/server/src/people/device-keys/add-device-key.ts';
import { asShown } from '../../packages/server/test/fixtures/as-shown.ts';
import type { Person } from '../../packages/server/test/fixtures/open-test-gate.ts';
import { SoftwareDeviceKey } from '../../packages/server/test/fixtures/software-device-key.ts';
import { type Arena, openArena } from './open-arena.ts';
import { expectRefused, idOf } from './surfaces.ts';

const ACTION = 'payments.refund';
const PARAMS = { amount: 5 };

let t: Arena;
let ann: Person;
let bob: Person;
let annsDevice: SoftwareDeviceKey;
/** Secret keys. */
let services: { anns: string; bobs: string };
beforeAll(async () => {
  t = await openArena({ mode: 'live' });
  ann = await t.addPerson('ann@example.org', 'admin');
  bob = await t.addPerson('bob@example.org', 'admin');
  services = {
    anns: (await t.addService(ann.email, 'one')).key,
    bobs: (await t.addService(bob.email)).key,
  };
  annsDevice = new SoftwareDeviceKey();
  const key = { id: t.gate.ids.next('dvk'), jwk: annsDevice.jwk, name: 'laptop', address: null };
  const user = { id: ann.userId, email: ann.email };
  await t.gate.storage.transaction((tx) => addDeviceKey(t.gate, tx, user, key));
});
beforeEach(() => t.putPolicy({ approvers: ['role:approver'] }));
afterAll(() => t.close());

const ask = async (which: 0 | 1, key = services.anns) =>
  idOf(await t.surfaces[which].create(key, ACTION, PARAMS));

/** Approves with Ann's token and a proof by her device. */
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

describe('a token with a proof by its person’s device', () => {
  it('approves as the person does', async () => {
    const id = await ask(1, services.bobs);
    expect((await approveByDevice(id)).body).toMatchObject({
      status: 'approved',
      approvals: [{ by: ann.email, method: 'device' }],
    });
  });

  it('approves nothing that the person’s own service requested, which takes a session', async () => {
    const id = await ask(1);
    const answer = await approveByDevice(id);
    expectRefused('B', answer, 403, 'FORBIDDEN', { required: 'session' });
    expect((await t.gate.storage.read.findIntent(id))?.status).toBe('pending');
    expect(t.rowsOf('approvals', id)).toEqual([]);
    expect((await t.surfaces[1].approve(ann, id)).body).toMatchObject({ status: 'approved' });
  });
});
