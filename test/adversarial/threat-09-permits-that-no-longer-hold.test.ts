/** Threat 9: a permit out of its place or time is refused with the reason, to check and to use, and holds again where that can be. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Person } from '../../packages/server/test/fixtures/open-test-gate.ts';
import { type Arena, type Neighbour, openArena } from './open-arena.ts';
import { expectInvalidPermit, expectRefused, idOf, permitOf } from './surfaces.ts';

const ACTION = 'payments.refund';
const PARAMS = { amount: 5 };
const DEFAULT = { approvers: ['role:approver'], min_approvals: 1 };

let t: Arena;
let approver: Person;
let live: Neighbour;
let test: Neighbour;
let id: string;
let token: string;
beforeAll(async () => {
  t = await openArena({ mode: 'live' });
  approver = await t.addPerson('approver@example.org', 'approver');
  live = await t.addNeighbour('Neighbour', 'live');
  test = await t.addNeighbour('Sandbox', 'test');
});
beforeEach(async () => {
  ({ id, token } = await newPermit());
});
afterAll(() => t.close());

async function newPermit(key = t.first.agent_key): Promise<{ id: string; token: string }> {
  const intent = idOf(await t.surfaces[1].create(key, ACTION, PARAMS));
  expect((await t.surfaces[1].approve(approver, intent)).status).toBe(200);
  return { id: intent, token: permitOf(await t.surfaces[1].read(key, intent)) };
}

/** Refused at both doors, to check and to use, by each of the keys; nothing changes. */
async function expectRefusedEverywhere(
  reason: string,
  keys = [t.first.verifier_key, t.first.secret_key],
): Promise<void> {
  for (const surface of t.surfaces) {
    for (const key of keys) {
      for (const consume of [false, true]) {
        const shown = { token, action: ACTION, params: PARAMS, consume };
        expectInvalidPermit(surface.name, await t.expectUnchanged(() => surface.verify(key, shown)), reason);
      }
      expectInvalidPermit(
        surface.name,
        await t.expectUnchanged(() => surface.verify(key, { token })),
        reason,
      );
    }
  }
}

async function expectHolds(): Promise<void> {
  for (const surface of t.surfaces) {
    const answer = await surface.verify(t.first.verifier_key, { token, action: ACTION, params: PARAMS });
    expect(answer.body, answer.text).toMatchObject({ authorizes: true });
  }
  const used = await t.surfaces[0].verify(t.first.verifier_key, {
    token,
    action: ACTION,
    params: PARAMS,
    consume: true,
  });
  expect(used.body).toMatchObject({ consumed: true });
}

async function manage(method: string, path: string, body?: object): Promise<void> {
  const answer = await t.call(method, `/v1/projects/${t.projectId}${path}`, {
    present: t.owner,
    body,
  });
  expect(answer.status, answer.text).toBeLessThan(300);
}

function putRules(...rules: object[]): Promise<void> {
  return manage('PUT', '/policies', { name: 'p', default: DEFAULT, rules });
}

it('holds, as long as nothing happens', async () => {
  await expectHolds();
});

describe('in another place', () => {
  it('another project of the same mode: wrong_project', async () => {
    await expectRefusedEverywhere('wrong_project', [live.verifierKey, live.secretKey, live.agentKey]);
    await expectHolds();
  });

  it('a live permit shown in a test project', async () => {
    await expectRefusedEverywhere('wrong_project', [test.verifierKey, test.secretKey, test.agentKey]);
  });

  it('a test permit shown in a live project', async () => {
    const intent = idOf(await t.surfaces[0].create(test.secretKey, ACTION, PARAMS));
    token = permitOf(await t.surfaces[0].approve(test.secretKey, intent));
    await expectRefusedEverywhere('wrong_project', [
      live.verifierKey,
      t.first.verifier_key,
      t.first.agent_key,
    ]);
  });

  it('a receipt of another project', async () => {
    const read = await t.surfaces[0].read(t.first.agent_key, id);
    for (const key of [live.verifierKey, test.verifierKey]) {
      const answer = await t.expectUnchanged(() =>
        t.call('POST', '/api/intents/permit/verify', { key, body: { receipt: read.body.receipt_v2 } }),
      );
      expectInvalidPermit('A', answer, 'wrong_project');
    }
  });

  it('revoking by a permit of another project finds nothing', async () => {
    const answer = await t.expectUnchanged(() =>
      t.call('POST', '/v1/permits/revoke', { key: live.secretKey, body: { token } }),
    );
    expectRefused('B', answer, 404, 'INTENT_NOT_FOUND');
    const unknown = await t.expectUnchanged(() =>
      t.call('POST', '/v1/permits/revoke', { key: live.secretKey, body: { intent_id: id } }),
    );
    expectRefused('B', unknown, 404, 'INTENT_NOT_FOUND');
    await expectHolds();
  });
});

describe('taken back', () => {
  it.each(['intent_id', 'token'])('revoked by its %s: for good, its receipt as well', async (by) => {
    const body = by === 'token' ? { token, reason: 'mistake' } : { intent_id: id, reason: 'mistake' };
    const key = by === 'token' ? t.first.secret_key : t.owner.token;
    expect((await t.call('POST', '/v1/permits/revoke', { key, body })).status).toBe(200);
    await expectRefusedEverywhere('revoked');
    const read = await t.surfaces[0].read(t.first.agent_key, id);
    expect(read.body.receipt_v2).toMatchObject({ revocation_status: 'revoked' });
    const fresh = await t.expectUnchanged(() =>
      t.call('POST', `/v1/intents/${id}/permit`, { key: t.first.agent_key, body: {} }),
    );
    expectInvalidPermit('B', fresh, 'revoked');
    expectRefused(
      'A',
      await t.expectUnchanged(() => t.surfaces[0].approve(approver, id)),
      409,
      'INTENT_ALREADY_RESOLVED',
    );
  });

  it('its agent paused: refused until resumed; its receipt suspended; no fresh permit', async () => {
    await manage('POST', `/agents/${t.agentId}/pause`);
    await expectRefusedEverywhere('agent_paused', [
      t.first.verifier_key,
      t.first.secret_key,
      t.first.agent_key,
    ]);
    const read = await t.surfaces[0].read(t.first.agent_key, id);
    expect(read.body.receipt_v2).toMatchObject({ revocation_status: 'suspended' });
    const fresh = await t.expectUnchanged(() =>
      t.call('POST', `/v1/intents/${id}/permit`, { key: t.first.agent_key, body: {} }),
    );
    expectRefused('B', fresh, 403, 'AGENT_PAUSED');
    await manage('POST', `/agents/${t.agentId}/resume`);
    await expectHolds();
  });

  it('its agent revoked: for good, and the agent is told so on every call', async () => {
    const doomed = await t.addAgent({ name: 'doomed' });
    ({ id, token } = await newPermit(doomed.key));
    await manage('POST', `/agents/${doomed.agent.id}/revoke`);
    await expectRefusedEverywhere('agent_revoked');
    for (const surface of t.surfaces) {
      for (const call of [
        () => surface.verify(doomed.key, { token, action: ACTION, params: PARAMS, consume: true }),
        () => surface.read(doomed.key, id),
        () => surface.create(doomed.key, ACTION),
      ]) {
        expectRefused(surface.name, await t.expectUnchanged(call), 403, 'AGENT_REVOKED');
      }
    }
    for (const verb of ['resume', 'pause']) {
      const path = `/v1/projects/${t.projectId}/agents/${doomed.agent.id}/${verb}`;
      expectRefused(
        'B',
        await t.expectUnchanged(() => t.call('POST', path, { present: t.owner })),
        409,
        'CONFLICT',
      );
    }
  });

  it('the project stopped: refused until started, and an agent paused before stays paused', async () => {
    await manage('POST', '/stop');
    await expectRefusedEverywhere('project_stopped', [
      t.first.verifier_key,
      t.first.secret_key,
      t.first.agent_key,
    ]);
    for (const surface of t.surfaces) {
      for (const key of [t.first.agent_key, t.first.secret_key]) {
        expectRefused(
          surface.name,
          await t.expectUnchanged(() => surface.create(key, ACTION)),
          403,
          'PROJECT_STOPPED',
        );
      }
    }
    await manage('POST', `/agents/${t.agentId}/pause`);
    await manage('POST', '/start');
    await expectRefusedEverywhere('agent_paused');
    await manage('POST', `/agents/${t.agentId}/resume`);
    await expectHolds();
  });
});

describe('policy changed since', () => {
  const match = { action: ACTION };

  it.each([
    ['to deny it', { effect: 'deny' }],
    ['to deny it by a condition that fails', { effect: 'deny', when: 'params.absent.deeper > 1' }],
    [
      'to ask for two people',
      { effect: 'require_approval', require: [{ from: ['role:approver'], count: 2 }] },
    ],
    ['to ask for others', { effect: 'require_approval', require: [{ from: ['role:owner'], count: 1 }] }],
    ['to ask for more proof', { effect: 'require_approval', proof_tier: 'passkey' }],
  ])('%s: policy_changed, until it changes back', async (_name, rule) => {
    await putRules({ name: 'now', match, ...rule });
    await expectRefusedEverywhere('policy_changed');
    await putRules();
    await expectHolds();
  });

  it('from allowing it to asking a person', async () => {
    await putRules({ name: 'free', match, effect: 'allow' });
    const created = await t.surfaces[0].create(t.first.agent_key, ACTION, PARAMS);
    expect(created.body.status).toBe('approved');
    token = permitOf(created);
    await putRules();
    await expectRefusedEverywhere('policy_changed');
    await putRules({ name: 'free', match, effect: 'allow' });
    await expectHolds();
    await putRules();
  });

  it('the default approvals raised', async () => {
    await manage('PUT', '/policies', {
      name: 'p',
      default: { approvers: ['role:approver'], min_approvals: 2 },
      rules: [],
    });
    await expectRefusedEverywhere('policy_changed');
    await putRules();
    await expectHolds();
  });
});

describe('out of its time', () => {
  it('its own: expired to the second; a fresh one while the intent runs', async () => {
    t.clock.advance(299);
    for (const surface of t.surfaces) {
      expect(
        (await surface.verify(t.first.verifier_key, { token, action: ACTION, params: PARAMS })).status,
      ).toBe(200);
    }
    t.clock.advance(1);
    await expectRefusedEverywhere('expired');
    const fresh = await t.call('POST', `/v1/intents/${id}/permit`, { key: t.first.agent_key, body: {} });
    token = permitOf(fresh);
    await expectHolds();
  });

  it('the intent’s own: no fresh permit', async () => {
    t.clock.advance(3600);
    const fresh = await t.expectUnchanged(() =>
      t.call('POST', `/v1/intents/${id}/permit`, { key: t.first.agent_key, body: {} }),
    );
    expectRefused('B', fresh, 410, 'INTENT_EXPIRED', { expired_at: t.clock.now() });
    await expectRefusedEverywhere('expired');
  });
});
