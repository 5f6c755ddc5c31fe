/** Threat 23: a person approves nothing without naming the hash of what they were shown, at any door, one or many. */
import type { ProjectMode } from '@permitry/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addDeviceKey } from '../../packages/server/src/people/device-keys/add-device-key.ts';
import { shownHash } from '../../packages/server/test/fixtures/as-shown.ts';
import type { Person } from '../../packages/server/test/fixtures/open-test-gate.ts';
import { type SignedIn, signedIn } from '../../packages/server/test/fixtures/signed-in.ts';
import { SoftwareDeviceKey } from '../../packages/server/test/fixtures/software-device-key.ts';
import { type Answer, type Arena, openArena } from './open-arena.ts';
import { expectRefused, idOf } from './surfaces.ts';

const MODES = ['live', 'test'] as const satisfies ProjectMode[];
const SURFACES = ['A', 'B', 'batch'] as const;
type SurfaceName = (typeof SURFACES)[number];

/** Who casts the vote, and what it carries besides. */
interface Voter {
  as: { key: string } | { headers: Record<string, string> };
  proof?: { proof_session_id: string };
}

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
let session: SignedIn;
let device: SoftwareDeviceKey;

const hashOf = (id: string) => shownHash(t.gate, id);
let asked = 0;
/** Each with parameters of its own: one that was denied must not keep a list from approving the next. */
const ask = async () => {
  asked += 1;
  return idOf(await t.surfaces[1].create(t.first.agent_key, 'payments.refund', { amount: asked }));
};
const statusOf = async (id: string) => (await t.gate.storage.read.findIntent(id))?.status;

/** A completed proof of Ann's device, for an approval of this request by her token. */
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

const PERSONS: Readonly<Record<string, (intentId: string) => Promise<Voter>>> = {
  'a session': async () => ({ as: { headers: session.headers } }),
  'a user token with a device proof': async (id) => ({ as: { key: ann.token }, proof: await prove(id) }),
};
const PROGRAMS: Readonly<Record<string, () => Voter>> = {
  'a user token': () => ({ as: { key: ann.token } }),
  'a secret key': () => ({ as: { key: t.first.secret_key } }),
};

function approve(surface: SurfaceName, { as, proof }: Voter, id: string, hash: object): Promise<Answer> {
  switch (surface) {
    case 'A':
      return t.call('PATCH', `/api/intents/${id}`, {
        ...as,
        body: { decision: 'approve', ...proof, ...hash },
      });
    case 'B':
      return t.call('POST', `/v1/intents/${id}/approve`, { ...as, body: { ...proof, ...hash } });
    case 'batch':
      return t.call('POST', '/console/decisions', {
        ...as,
        body: { decisions: [{ intent_id: id, decision: 'approve', ...hash }] },
      });
  }
}

describe.each(MODES)('in %s mode', (mode) => {
  beforeAll(async () => {
    t = await openArena({ mode });
    ann = await t.addPerson('ann@example.org', 'approver');
    session = await signedIn(t.gate, ann.userId);
    device = new SoftwareDeviceKey();
    const key = { id: t.gate.ids.next('dvk'), jwk: device.jwk, name: 'laptop', address: null };
    const user = { id: ann.userId, email: ann.email };
    await t.gate.storage.transaction((tx) => addDeviceKey(t.gate, tx, user, key));
    // A list approves only what people have approved before.
    const known = await ask();
    await approve('B', { as: { headers: session.headers } }, known, { intent_hash: await hashOf(known) });
  });
  afterAll(() => t.close());

  const cells = Object.keys(PERSONS).flatMap((who) =>
    (['A', 'B'] as const).flatMap((surface) =>
      Object.keys(HASHES).map((hash) => [who, surface, hash] as const),
    ),
  );
  it.each(cells)('%s at door %s with %s approves nothing', async (who, surface, hash) => {
    const id = await ask();
    const voter = (await PERSONS[who]?.(id)) as Voter;
    const shown = (await HASHES[hash]?.(id)) ?? {};
    const answer = await t.expectUnchanged(() => approve(surface, voter, id, shown));
    if (hash === 'no hash') {
      expectRefused(surface, answer, 400, 'MISSING_FIELDS', { fields: [{ path: '/intent_hash' }] });
    } else {
      expectRefused(surface, answer, 409, 'CONFLICT');
    }
    // With the hash of what was shown the same vote counts: nothing of it was spent.
    const counted = await approve(surface, voter, id, { intent_hash: await hashOf(id) });
    expect([counted.status, counted.body.status]).toEqual([200, 'approved']);
  });

  it.each(Object.keys(HASHES))('a session in a batch with %s approves nothing', async (hash) => {
    const [id, sound] = [await ask(), await ask()];
    const decisions = [
      { intent_id: sound, decision: 'deny' },
      { intent_id: id, decision: 'approve', ...((await HASHES[hash]?.(id)) ?? {}) },
    ];
    const send = () =>
      t.call('POST', '/console/decisions', { headers: session.headers, body: { decisions } });
    if (hash === 'no hash') {
      const answer = await t.expectUnchanged(send);
      expectRefused('B', answer, 400, 'MISSING_FIELDS', {
        fields: [{ path: '/decisions/1/intent_hash' }],
      });
      return;
    }
    const answer = await send();
    if (answer.status === 400) {
      // What is no hash at all is no batch.
      expectRefused('B', answer, 400, 'INVALID_FIELDS', { fields: [{ path: '/decisions/1/intent_hash' }] });
    } else {
      expect(answer.body.data).toMatchObject([{ status: 'denied' }, { error: { code: 'conflict' } }]);
    }
    expect(await t.gate.storage.read.listApprovals(id)).toEqual([]);
    expect(await statusOf(id)).toBe('pending');
  });

  it.each(Object.keys(PROGRAMS))('%s does not reach the batch', async (who) => {
    const id = await ask();
    const voter = PROGRAMS[who]?.() as Voter;
    const answer = await t.expectUnchanged(
      async () => approve('batch', voter, id, { intent_hash: await hashOf(id) }),
      ['access.refused'],
    );
    expectRefused('B', answer, 403, 'FORBIDDEN', { required: 'session' });
  });

  it.each<[string, { action?: string; params?: object; metadata?: object }]>([
    ['that the list cuts', { params: { note: 'x'.repeat(161) } }],
    [
      'with rows that the list folds',
      { params: { rows: Array.from({ length: 2500 }, (_, id) => ({ id })) } },
    ],
    ['in which the list marks a character', { params: { to: 'bob\u202e@example.org' } }],
    ['whose words the list marks', { metadata: { why: 'p\u0430ypal' } }],
    ['of an action that nobody approved before', { action: 'payments.new' }],
  ])('a batch does not approve a request %s, with its hash', async (_what, asked) => {
    const { body } = await t.call('POST', '/v1/intents', {
      key: t.first.agent_key,
      body: { action: 'payments.refund', ...asked },
    });
    const id = String(body.id);
    const decisions = [{ intent_id: id, decision: 'approve', intent_hash: await hashOf(id) }];
    const answer = await t.expectUnchanged(() =>
      t.call('POST', '/console/decisions', { headers: session.headers, body: { decisions } }),
    );
    expect(answer.body.data).toMatchObject([{ error: { fields: [{ path: '/intent_id' }] } }]);
    // On its own page the same person approves it.
    const own = await approve('A', { as: { headers: session.headers } }, id, {
      intent_hash: await hashOf(id),
    });
    expect(own.body.status).toBe('approved');
  });

  it('hashes of a batch that were exchanged approve neither', async () => {
    const [one, other] = [await ask(), await ask()];
    const decisions = [
      { intent_id: one, decision: 'approve', intent_hash: await hashOf(other) },
      { intent_id: other, decision: 'approve', intent_hash: await hashOf(one) },
    ];
    const answer = await t.expectUnchanged(() =>
      t.call('POST', '/console/decisions', { headers: session.headers, body: { decisions } }),
    );
    expect(answer.body.data).toMatchObject([
      { error: { code: 'conflict' } },
      { error: { code: 'conflict' } },
    ]);
  });

  it('a batch replayed many times at once gives each request one vote and one resolution', async () => {
    const ids = [await ask(), await ask(), await ask()];
    const decisions = await Promise.all(
      ids.map(async (id) => ({ intent_id: id, decision: 'approve', intent_hash: await hashOf(id) })),
    );
    const send = () =>
      t.call('POST', '/console/decisions', { headers: session.headers, body: { decisions } });
    const answers = await Promise.all(Array.from({ length: 20 }, send));
    for (const [place, id] of ids.entries()) {
      const results = answers.map(({ body }) => (body.data as { status?: string }[])[place]);
      expect(results.filter((result) => result?.status === 'approved')).toHaveLength(1);
      expect(await t.gate.storage.read.listApprovals(id)).toHaveLength(1);
      expect(t.story(id).filter((type) => type === 'intent.approved')).toHaveLength(1);
    }
  });

  it('the hash of a request that expired does not approve the one that was asked again', async () => {
    const { body } = await t.call('POST', '/v1/intents', {
      key: t.first.agent_key,
      body: { action: 'payments.refund', params: { amount: 5 }, expires_in: 60 },
    });
    const first = String(body.id);
    const intent_hash = await hashOf(first);
    t.clock.advance(61);
    const again = await t.call('POST', `/v1/intents/${first}/ask-again`, {
      key: t.first.agent_key,
      body: {},
    });
    const id = idOf(again);
    for (const surface of ['A', 'B'] as const) {
      const answer = await t.expectUnchanged(() =>
        approve(surface, { as: { headers: session.headers } }, id, { intent_hash }),
      );
      expectRefused(surface, answer, 409, 'CONFLICT');
    }
  });

  it('a denial needs no hash, and one that names another changes nothing', async () => {
    const id = await ask();
    const path = `/v1/intents/${id}/deny`;
    const body = { intent_hash: await hashOf(await ask()) };
    const wrong = await t.expectUnchanged(() => t.call('POST', path, { headers: session.headers, body }));
    expectRefused('B', wrong, 409, 'CONFLICT');
    const denied = await t.call('POST', path, { headers: session.headers, body: {} });
    expect(denied.body.status).toBe('denied');
  });
});

describe('programs', () => {
  beforeAll(async () => {
    t = await openArena({ mode: 'test' });
    ann = await t.addPerson('ann@example.org', 'approver');
  });
  afterAll(() => t.close());

  const cells = Object.keys(PROGRAMS).flatMap((who) =>
    (['A', 'B'] as const).map((surface) => [who, surface] as const),
  );
  it.each(cells)(
    '%s at door %s may leave the hash out, and is held to the one it names',
    async (who, surface) => {
      const id = await ask();
      const voter = PROGRAMS[who]?.() as Voter;
      const other = { intent_hash: await hashOf(await ask()) };
      expectRefused(
        surface,
        await t.expectUnchanged(() => approve(surface, voter, id, other)),
        409,
        'CONFLICT',
      );
      expect((await approve(surface, voter, id, {})).body.status).toBe('approved');
    },
  );
});
