/**
 * Threat 23: a token with a proof by its person's device must name what was shown, as a session does. A program need
 * not.
 */
import type { ProjectMode } from '@permitry/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addDeviceKey } from '../../packages/server/src/people/device-keys/add-device-key.ts';
import { shownHash } from '../../packages/server/test/fixtures/as-shown.ts';
import type { Person } from '../../packages/server/test/fixtures/open-test-gate.ts';
import { SoftwareDeviceKey } from '../../packages/server/test/fixtures/software-device-key.ts';
import { type Answer, type Arena, openArena } from './open-arena.ts';
import { expectRefused, idOf } from './surfaces.ts';

const MODES = ['live', 'test'] as const satisfies ProjectMode[];
const SURFACES = ['A', 'B'] as const;
type SurfaceName = (typeof SURFACES)[number];

const HASHES: Readonly<Record<string, (id: string) => Promise<{ intent_hash?: string }>>> = {
  'no hash': async () => ({}),
  'the hash of another request': async () => ({ intent_hash: await hashOf(await ask()) }),
  'its params_hash': async (id) => ({
    intent_hash: (await t.gate.storage.read.findIntent(id))?.paramsHash ?? '',
  }),
  'its hash in capitals': async (id) => ({ intent_hash: (await hashOf(id)).toUpperCase() }),
  'an empty hash': async () => ({ intent_hash: '' }),
};

let t: Arena;
let ann: Person;
let device: SoftwareDeviceKey;

const hashOf = (id: string) => shownHash(t.gate, id);
let asked = 0;
/** Each request has its own parameters, because a list does not approve a request that repeats a denied one. */
const ask = async () => {
  asked += 1;
  return idOf(await t.surfaces[1].create(t.first.agent_key, 'payments.refund', { amount: asked }));
};

/** A completed proof by Ann's device, for an approval of this request with her token. */
async function prove(intentId: string): Promise<{ proof_session_id: string }> {
  const send = async (body: object) => {
    const answer = await t.call('POST', '/api/verify/proof', { key: ann.token, body });
    return answer.body.proof_session as { id: string; challenge: string; status: string };
  };
  const { id, challenge } = await send({ intent_id: intentId, decision: 'approve', method: 'device' });
  const { status } = await send({ proof_session_id: id, signals: { jws: device.prove(challenge) } });
  expect(status).toBe('completed');
  return { proof_session_id: id };
}

function approve(surface: SurfaceName, key: string, id: string, more: object): Promise<Answer> {
  return surface === 'A'
    ? t.call('PATCH', `/api/intents/${id}`, { key, body: { decision: 'approve', ...more } })
    : t.call('POST', `/v1/intents/${id}/approve`, { key, body: more });
}

describe.each(MODES)('in %s mode', (mode) => {
  beforeAll(async () => {
    t = await openArena({ mode });
    ann = await t.addPerson('ann@example.org', 'approver');
    device = new SoftwareDeviceKey();
    const key = { id: t.gate.ids.next('dvk'), jwk: device.jwk, name: 'laptop', address: null };
    const user = { id: ann.userId, email: ann.email };
    await t.gate.storage.transaction((tx) => addDeviceKey(t.gate, tx, user, key));
  });
  afterAll(() => t.close());

  const cells = SURFACES.flatMap((surface) => Object.keys(HASHES).map((hash) => [surface, hash] as const));
  it.each(cells)(
    'a user token with a device proof approves nothing on surface %s with %s',
    async (surface, hash) => {
      const id = await ask();
      const proof = await prove(id);
      const shown = (await HASHES[hash]?.(id)) ?? {};
      const answer = await t.expectUnchanged(() => approve(surface, ann.token, id, { ...proof, ...shown }));
      if (hash === 'no hash') {
        expectRefused(surface, answer, 400, 'MISSING_FIELDS', { fields: [{ path: '/intent_hash' }] });
      } else {
        expectRefused(surface, answer, 409, 'CONFLICT');
      }
      // With the hash of what was shown, the same vote counts: the refusal used nothing up.
      const right = { ...proof, intent_hash: await hashOf(id) };
      const counted = await approve(surface, ann.token, id, right);
      expect([counted.status, counted.body.status]).toEqual([200, 'approved']);
    },
  );
});

describe('without a device proof', () => {
  beforeAll(async () => {
    t = await openArena({ mode: 'test' });
    ann = await t.addPerson('ann@example.org', 'approver');
  });
  afterAll(() => t.close());

  const programs: Readonly<Record<string, () => string>> = {
    'a user token': () => ann.token,
    'a secret key': () => t.first.secret_key,
  };
  const cells = Object.keys(programs).flatMap((who) => SURFACES.map((surface) => [who, surface] as const));
  it.each(cells)(
    '%s on surface %s may omit the hash, but a hash that it gives must match',
    async (who, surface) => {
      const id = await ask();
      const key = programs[who]?.() ?? '';
      const other = { intent_hash: await hashOf(await ask()) };
      const refused = await t.expectUnchanged(() => approve(surface, key, id, other));
      expectRefused(surface, refused, 409, 'CONFLICT');
      expect((await approve(surface, key, id, {})).body.status).toBe('approved');
    },
  );
});
