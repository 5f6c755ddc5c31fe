/** Several gates on one database, over HTTP: each can do everything, and all give the same answers. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { verifyAudit } from '../../src/gate/audit/verify-audit.ts';
import { expireAllDue } from '../../src/gate/intents/expire.ts';
import { DEFAULT_POLICY } from '../../src/gate/policy/default-policy.ts';
import { asShown } from '../fixtures/as-shown.ts';
import { OPERATOR } from '../fixtures/open-test-gate.ts';
import type { SignedIn } from '../fixtures/signed-in.ts';
import { type Answer, type Gates, openGates } from './open-gates.ts';

const GATES = 3;
const ROUNDS = 12;

let t: Gates;
/** Each approver is signed in with a browser, as live mode requires. */
let approvers: SignedIn[];
let owner: SignedIn;
/** By request created here: what its page would show. */
const shown = new Map<string, { intent_hash: string }>();
beforeAll(async () => {
  t = await openGates(GATES, { mode: 'live' });
  approvers = [];
  for (const name of ['ann', 'bob', 'cleo', 'dan']) {
    approvers.push(await (await t.addPerson(`${name}@example.org`, 'approver')).signIn());
  }
  owner = await t.owner.signIn();
});
afterAll(() => t.close());

function approver(index: number): SignedIn {
  const person = approvers[index % approvers.length];
  if (!person) throw new Error('there are no approvers');
  return person;
}

async function create(round: number, more: object = {}): Promise<string> {
  const { status, body } = await t.replicaIn(round).call('POST', '/v1/intents', {
    key: t.first.agent_key,
    body: { action: 'deploy', params: { round }, ...more },
  });
  expect({ status, body }).toMatchObject({ status: 201, body: { status: 'pending' } });
  const id = String(body.id);
  shown.set(id, await asShown(t.gate, id));
  return id;
}

const decide = (round: number, id: string, decision: 'approve' | 'deny', { headers } = approver(0)) =>
  t.replicaIn(round).call('POST', `/v1/intents/${id}/${decision}`, {
    headers,
    body: decision === 'approve' ? shown.get(id) : {},
  });

const read = (round: number, id: string, query = '', key = t.first.agent_key) =>
  t.replicaIn(round).call('GET', `/v1/intents/${id}${query}`, { key });

const validate = (round: number, token: string, params: object, more: object = {}, headers = {}) =>
  t.replicaIn(round).call('POST', '/v1/permits/validate', {
    key: t.first.verifier_key,
    body: { token, action: 'deploy', params, ...more },
    headers,
  });

async function approved(round: number, more: object = {}): Promise<{ id: string; token: string }> {
  const id = await create(round, more);
  expect((await decide(round + 1, id, 'approve')).body).toMatchObject({ status: 'approved' });
  const { body } = await read(round + 2, id);
  return { id, token: (body.permit as { token: string }).token };
}

/** Expects all gates and the audit log to agree on one outcome, and returns it. */
async function outcomeOf(id: string): Promise<string> {
  const reads = await Promise.all(t.replicas.map((_, index) => read(index, id)));
  const audit = await Promise.all(
    t.replicas.map((replica) =>
      replica.call('GET', `/v1/projects/${t.projectId}/audit?intent_id=${id}&order=asc`, {
        key: t.first.secret_key,
      }),
    ),
  );
  const told = audit.map(({ body }) =>
    (body.data as { type: string }[])
      .map(({ type }) => type.replace('intent.', ''))
      .filter((type) => ['approved', 'denied', 'expired'].includes(type)),
  );
  const [first = []] = told;
  expect(first).toHaveLength(1);
  for (const one of told) expect(one).toEqual(first);
  for (const { body } of reads) expect(body.status).toBe(first[0]);
  return first[0] ?? '';
}

async function eventsOf(id: string, type: string): Promise<number> {
  const { body } = await t
    .replicaIn(0)
    .call('GET', `/v1/projects/${t.projectId}/audit?intent_id=${id}&type=${type}`, {
      key: t.first.secret_key,
    });
  return (body.data as unknown[]).length;
}

const codes = (answers: readonly Answer[]) =>
  answers.map(({ status, body }) => (status < 300 ? 'ok' : (body.error as { code: string }).code));

test('an intent created at one gate can be approved at another while an agent waits for it at a third', async () => {
  for (let round = 0; round < GATES; round += 1) {
    const id = await create(round);
    const waiting = read(round + 2, id, '?wait=60');
    await expect.poll(() => t.gates[(round + 2) % GATES]?.wakeups.waiting).toBe(1);
    expect((await decide(round + 1, id, 'approve')).status).toBe(200);
    const { status, body } = await waiting;
    expect({ status, body }).toMatchObject({ status: 200, body: { id, status: 'approved' } });
    const { token } = body.permit as { token: string };
    for (let gate = 0; gate < GATES; gate += 1) {
      expect((await validate(gate, token, { round })).body).toMatchObject({ valid: true, intent_id: id });
    }
  }
});

test('agents waiting at every gate get an answer when their intent expires or is withdrawn', async () => {
  const [expiring, withdrawn] = [await create(0, { expires_in: 5 }), await create(1)];
  const waiting = [0, 1, 2].flatMap((gate) => [
    read(gate, expiring, '?wait=60'),
    read(gate, withdrawn, '?wait=60'),
  ]);
  await expect.poll(() => t.gates.map(({ wakeups }) => wakeups.waiting)).toEqual([2, 2, 2]);
  t.clock.advance(5);
  const [, gate] = t.gates;
  if (gate) await expireAllDue(gate.gate);
  const key = t.first.agent_key;
  expect(
    (await t.replicaIn(2).call('POST', `/v1/intents/${withdrawn}/withdraw`, { key, body: {} })).status,
  ).toBe(200);
  const answers = await Promise.all(waiting);
  expect(answers.map(({ body }) => body.status)).toEqual([0, 1, 2].flatMap(() => ['expired', 'denied']));
});

describe('when all gates are asked to use a permit at once', () => {
  test('one of a hundred uses of one permit succeeds', async () => {
    const { id, token } = await approved(0);
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, n) => validate(n, token, { round: 0 }, { consume: true })),
    );
    expect(codes(answers).filter((code) => code === 'ok')).toHaveLength(1);
    expect(codes(answers).filter((code) => code === 'permit_invalid')).toHaveLength(99);
    expect(await eventsOf(id, 'permit.consumed')).toBe(1);
  });

  test('one of a hundred uses of two permits for one intent succeeds', async () => {
    const { id, token } = await approved(1);
    const fresh = await t
      .replicaIn(2)
      .call('POST', `/v1/intents/${id}/permit`, { key: t.first.agent_key, body: {} });
    const tokens = [token, (fresh.body.permit as { token: string }).token];
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, n) =>
        validate(n, tokens[(n >> 1) % 2] ?? '', { round: 1 }, { consume: true }),
      ),
    );
    expect(codes(answers).filter((code) => code === 'ok')).toHaveLength(1);
    expect(await eventsOf(id, 'permit.consumed')).toBe(1);
  });

  test('a lost answer can be fetched from any gate under the same key', async () => {
    const { token } = await approved(2);
    const headers = { 'idempotency-key': 'consume-once' };
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, n) => validate(n, token, { round: 2 }, { consume: true }, headers)),
    );
    // A repetition is refused while the first request runs. Later repetitions get the first one's answer.
    const again = await Promise.all(
      [0, 1, 2].map((gate) => validate(gate, token, { round: 2 }, { consume: true }, headers)),
    );
    const bodies = [...answers, ...again].filter(({ status }) => status === 200).map(({ body }) => body);
    expect(bodies.length).toBeGreaterThanOrEqual(4);
    for (const body of bodies) expect(body).toEqual(bodies[0]);
    const others = answers.filter(({ status }) => status !== 200);
    expect(codes(others).every((code) => code === 'idempotency_conflict')).toBe(true);
    expect(codes([await validate(0, token, { round: 2 }, { consume: true })])).toEqual(['permit_invalid']);
  });
});

describe('at different gates at once', () => {
  test('an approval and a denial have one outcome', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const id = await create(round);
      const both = [
        () => decide(round, id, 'approve', approver(0)),
        () => decide(round + 1, id, 'deny', approver(1)),
      ];
      const answers = await Promise.all((round % 2 === 0 ? both : both.reverse()).map((go) => go()));
      expect(codes(answers).toSorted()).toEqual(['intent_already_resolved', 'ok']);
      expect(['approved', 'denied']).toContain(await outcomeOf(id));
    }
  });

  test('an approval and the expiry have one outcome', async () => {
    const outcomes = new Set<string>();
    for (let round = 0; round < ROUNDS; round += 1) {
      const id = await create(round, { expires_in: 1 });
      const approving = decide(round, id, 'approve');
      for (let tick = 0; tick < round; tick += 1) await new Promise((resolve) => setImmediate(resolve));
      t.clock.advance(1);
      const [answer] = await Promise.all([
        approving,
        ...t.gates.map(({ gate }) => expireAllDue(gate)),
        read(round + 2, id),
      ]);
      const outcome = await outcomeOf(id);
      expect(codes([answer])).toEqual([outcome === 'approved' ? 'ok' : 'intent_expired']);
      outcomes.add(outcome);
    }
    expect(outcomes.has('expired')).toBe(true);
  });

  test('many due intents expire once each', async () => {
    const ids = await Promise.all(Array.from({ length: 60 }, (_, n) => create(n, { expires_in: 30 })));
    t.clock.advance(30);
    await Promise.all([...t.gates.map(({ gate }) => expireAllDue(gate)), ...ids.map((id, n) => read(n, id))]);
    for (const id of ids) expect(await outcomeOf(id)).toBe('expired');
  });

  test('a pause refuses every intent created after its acknowledgement', async () => {
    const { agent, key, keyId } = await t.addAgent({ name: 'racer' });
    const path = `/v1/projects/${t.projectId}/agents/${agent.id}`;
    for (let round = 0; round < ROUNDS; round += 1) {
      const body = { action: 'deploy', params: {} };
      const creating = Array.from({ length: 6 }, (_, n) =>
        t.replicaIn(n).call('POST', '/v1/intents', { key, body }),
      );
      const pausing = t.replicaIn(round).call('POST', `${path}/pause`, { headers: owner.headers, body: {} });
      const pausedAt = pausing.then(async ({ status }) => {
        expect(status).toBe(200);
        // Once the pause is acknowledged, every gate refuses the agent.
        return Promise.all(t.replicas.map((replica) => replica.call('POST', '/v1/intents', { key, body })));
      });
      expect(new Set(codes(await pausedAt))).toEqual(new Set(['agent_paused']));
      for (const code of codes(await Promise.all(creating))) expect(['ok', 'agent_paused']).toContain(code);
      const resumed = await t
        .replicaIn(round + 1)
        .call('POST', `${path}/resume`, { headers: owner.headers, body: {} });
      expect(resumed.status).toBe(200);
    }
    expect(keyId).toMatch(/^key_/);
  });

  test('the votes of many approvers lead to one resolution and one permit', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const id = await create(round, {
        approvers: ['role:approver'],
        min_approvals: 2,
      });
      const answers = await Promise.all(approvers.map((person, n) => decide(n, id, 'approve', person)));
      const told = codes(answers);
      expect(told.filter((code) => code === 'ok')).toHaveLength(2);
      expect(told.filter((code) => code === 'intent_already_resolved')).toHaveLength(2);
      expect(await outcomeOf(id)).toBe('approved');
      expect(await eventsOf(id, 'permit.issued')).toBe(1);
      expect(await eventsOf(id, 'approval.recorded')).toBe(2);
    }
  });

  test('the votes of one person count once', async () => {
    const id = await create(0, { approvers: ['role:approver'], min_approvals: 2 });
    const answers = await Promise.all(t.replicas.map((_, n) => decide(n, id, 'approve', approver(0))));
    expect(codes(answers).toSorted()).toEqual(['already_voted', 'already_voted', 'ok']);
    expect((await read(1, id)).body).toMatchObject({ status: 'pending', approvals_received: 1 });
  });

  test('requests with one Idempotency-Key create one intent and get one answer', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const ask = (gate: number) =>
        t.replicaIn(gate).call('POST', '/v1/intents', {
          key: t.first.agent_key,
          body: { action: `once.${round}`, params: {} },
          headers: { 'idempotency-key': `create-${round}` },
        });
      const answers = await Promise.all([0, 1, 2, 0, 1, 2].map(ask));
      const again = await Promise.all([0, 1, 2].map(ask));
      const given = [...answers, ...again].filter(({ status }) => status === 201);
      expect(given.length).toBeGreaterThanOrEqual(4);
      expect(new Set(given.map(({ body }) => body.id)).size).toBe(1);
      for (const { body } of given) expect(body).toEqual(given[0]?.body);
      for (const { status, body } of again)
        expect({ status, body }).toEqual({ status: 201, body: given[0]?.body });
      expect(
        codes(answers.filter(({ status }) => status !== 201)).every(
          (code) => code === 'idempotency_conflict',
        ),
      ).toBe(true);
      const listed = await t
        .replicaIn(round)
        .call('GET', '/api/intents?limit=10', { key: t.first.agent_key });
      const made = (listed.body.intents as { action: string }[]).filter(
        ({ action }) => action === `once.${round}`,
      );
      expect(made).toHaveLength(1);
    }
  });
});

describe('on the very next call, every gate applies', () => {
  const everywhere = (ask: (gate: number) => Promise<Answer>) => Promise.all([0, 1, 2].map(ask));
  const manage = (gate: number, method: string, path: string, body: unknown, headers = {}) =>
    t.replicaIn(gate).call(method, `/v1/projects/${t.projectId}${path}`, {
      headers: { ...owner.headers, ...headers },
      body,
    });
  const createWith = (key: string) => (gate: number) =>
    t.replicaIn(gate).call('POST', '/v1/intents', { key, body: { action: 'deploy', params: {} } });

  test('the stop and the start of a project', async () => {
    const { token } = await approved(0);
    // Makes every gate cache everything that it needs.
    expect(codes(await everywhere((gate) => validate(gate, token, { round: 0 })))).toEqual([
      'ok',
      'ok',
      'ok',
    ]);
    expect((await manage(1, 'POST', '/stop', {})).status).toBe(200);
    const refused = await everywhere((gate) => validate(gate, token, { round: 0 }, { consume: true }));
    expect(refused.map(({ body }) => (body.error as { reason: string }).reason)).toEqual(
      Array(GATES).fill('project_stopped'),
    );
    expect(codes(await everywhere(createWith(t.first.agent_key)))).toEqual(
      Array(GATES).fill('project_stopped'),
    );
    expect((await manage(2, 'POST', '/start', {})).status).toBe(200);
    expect(codes(await everywhere((gate) => validate(gate, token, { round: 0 })))).toEqual([
      'ok',
      'ok',
      'ok',
    ]);
  });

  test('the pause, resumption and revocation of an agent', async () => {
    const { agent, key } = await t.addAgent({ name: 'shortlived' });
    expect(codes(await everywhere(createWith(key)))).toEqual(['ok', 'ok', 'ok']);
    expect((await manage(0, 'POST', `/agents/${agent.id}/pause`, {})).status).toBe(200);
    expect(codes(await everywhere(createWith(key)))).toEqual(Array(GATES).fill('agent_paused'));
    expect((await manage(1, 'POST', `/agents/${agent.id}/resume`, {})).status).toBe(200);
    expect(codes(await everywhere(createWith(key)))).toEqual(['ok', 'ok', 'ok']);
    expect((await manage(2, 'POST', `/agents/${agent.id}/revoke`, {})).status).toBe(200);
    expect(codes(await everywhere(createWith(key)))).toEqual(Array(GATES).fill('agent_revoked'));
  });

  test('the revocation of a key', async () => {
    const { key, keyId } = await t.addAgent({ name: 'keyed' });
    expect(codes(await everywhere(createWith(key)))).toEqual(['ok', 'ok', 'ok']);
    expect((await manage(1, 'POST', `/keys/${keyId}/revoke`, {})).status).toBe(200);
    expect(codes(await everywhere(createWith(key)))).toEqual(Array(GATES).fill('unauthorized'));
  });

  test('the revocation of an approval', async () => {
    const { id, token } = await approved(1);
    expect(codes(await everywhere((gate) => validate(gate, token, { round: 1 })))).toEqual([
      'ok',
      'ok',
      'ok',
    ]);
    const { headers } = owner;
    const body = { intent_id: id };
    const revoked = await t.replicaIn(2).call('POST', '/v1/permits/revoke', { headers, body });
    expect(revoked.status).toBe(200);
    const refused = await everywhere((gate) => validate(gate, token, { round: 1 }, { consume: true }));
    expect(refused.map(({ body }) => (body.error as { reason: string }).reason)).toEqual(
      Array(GATES).fill('revoked'),
    );
  });

  test('a new policy', async () => {
    const { token } = await approved(2);
    const get = await manage(0, 'GET', '/policies', undefined);
    const put = await manage(
      1,
      'PUT',
      '/policies',
      {
        name: 'strict',
        default: { approvers: ['role:approver'] },
        rules: [{ name: 'no', match: { action: 'deploy' }, effect: 'deny', reason: 'No.' }],
      },
      { 'if-match': String(get.headers.etag) },
    );
    expect({ status: put.status, body: put.body }).toMatchObject({ status: 200 });
    expect(codes(await everywhere(createWith(t.first.agent_key)))).toEqual(
      Array(GATES).fill('policy_violation'),
    );
    const refused = await everywhere((gate) => validate(gate, token, { round: 2 }, { consume: true }));
    expect(refused.map(({ body }) => (body.error as { reason: string }).reason)).toEqual(
      Array(GATES).fill('policy_changed'),
    );
    const back = await manage(2, 'PUT', '/policies', DEFAULT_POLICY, {
      'if-match': String(put.headers.etag),
    });
    expect(back.status).toBe(200);
    expect(codes(await everywhere(createWith(t.first.agent_key)))).toEqual(['ok', 'ok', 'ok']);
  });
});

test('after all of these tests there is one chain, which every gate finds valid', async () => {
  for (const { gate } of t.gates) {
    const verdict = await verifyAudit(gate, OPERATOR, t.projectId);
    expect(verdict).toMatchObject({ valid: true, unsealed: 0 });
    expect(verdict.count).toBeGreaterThan(300);
  }
});
