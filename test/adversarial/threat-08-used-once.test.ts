/** Threats 8 and 8b: a permit is used once, however many try, with whichever token; a lost answer is given again. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { FickleTools } from '../../packages/server/test/gateway/fickle-tools.ts';
import { type Answer, type Arena, openArena } from './open-arena.ts';
import { expectInvalidPermit, expectRefused, idOf, permitOf, type Surface } from './surfaces.ts';

const ACTION = 'payments.refund';
const PARAMS = { amount: 5 };

let t: Arena;
beforeAll(async () => {
  t = await openArena({ mode: 'live' });
});
afterAll(() => t.close());

async function newPermit(): Promise<{
  id: string;
  use: { token: string; action: string; params: object; consume: true };
}> {
  const id = idOf(await t.surfaces[0].create(t.first.agent_key, ACTION, PARAMS));
  expect((await t.surfaces[0].approve(t.owner, id)).status).toBe(200);
  const token = permitOf(await t.surfaces[0].read(t.first.agent_key, id));
  return { id, use: { token, action: ACTION, params: PARAMS, consume: true } };
}

function expectOneUse(answers: readonly { surface: Surface; answer: Answer }[], id: string): void {
  expect(answers.filter(({ answer }) => answer.status === 200)).toHaveLength(1);
  for (const { surface, answer } of answers) {
    if (answer.status === 200)
      expect(answer.body).toMatchObject({ authorizes: true, consumed: true, intent_id: id });
    else expectInvalidPermit(surface.name, answer, 'already_used');
  }
  expect(t.story(id).filter((type) => type === 'permit.consumed')).toHaveLength(1);
}

it('100 at once, through both surfaces and three kinds of key: one success', async () => {
  const { id, use } = await newPermit();
  const keys = [t.first.agent_key, t.first.verifier_key, t.first.secret_key];
  const answers = await Promise.all(
    Array.from({ length: 100 }, async (_, i) => {
      const surface = t.surfaces[(i % 2) as 0 | 1];
      return { surface, answer: await surface.verify(keys[i % 3] ?? '', use) };
    }),
  );
  expectOneUse(answers, id);
});

it('a tool whose server goes away in the moment of the call: the use that is given back is used once, here or elsewhere', async () => {
  const tools = new FickleTools(0);
  const arena = await openArena({ mode: 'live', outside: { connectors: tools } });
  onTestFinished(() => arena.close());
  const key = arena.first.agent_key;
  const call = { tool: 'lab.work', arguments: { n: 1 } };
  for (let round = 0; round < 6; round += 1) {
    const asked = await arena.call('POST', '/api/mcp-gateway', { key, body: call });
    const { connector_request_id } = asked.body;
    const id = String(asked.body.intent_id);
    expect((await arena.surfaces[0].approve(arena.owner, id)).status).toBe(200);
    const token = permitOf(await arena.surfaces[0].read(key, id));
    tools.refusals = 6;
    tools.sent.length = 0;
    const tries = Array.from({ length: 24 }, async (_, i) => {
      if (i % 4 === 3) {
        const use = { token, action: call.tool, params: call.arguments, consume: true };
        return { elsewhere: true, answer: await arena.surfaces[(i % 2) as 0 | 1].verify(key, use) };
      }
      const body = i % 4 === 0 ? { ...call, permit_token: token } : { connector_request_id };
      return { elsewhere: false, answer: await arena.call('POST', '/api/mcp-gateway', { key, body }) };
    });
    const answers = await Promise.all(tries);
    for (const { answer } of answers) expect([200, 400, 503]).toContain(answer.status);
    const usedElsewhere = answers.filter(
      ({ elsewhere, answer }) => elsewhere && answer.status === 200,
    ).length;
    expect(usedElsewhere + tools.sent.length).toBeLessThanOrEqual(1);
    const story = arena.story(id);
    const count = (type: string) => story.filter((one) => one === type).length;
    expect(count('permit.consumed') - count('permit.released')).toBe(usedElsewhere + tools.sent.length);
    expect(count('outcome.reported')).toBe(tools.sent.length);
    const after = await arena.surfaces[0].verify(key, { token, action: call.tool, params: call.arguments });
    if (usedElsewhere + tools.sent.length === 1) expectInvalidPermit('A', after, 'already_used');
    else expect(after.status).toBe(200);
  }
});

it('two permits of one intent, and a third asked for meanwhile: one success', async () => {
  for (let round = 0; round < 10; round += 1) {
    const { id, use } = await newPermit();
    const redeem = () => t.call('POST', `/v1/intents/${id}/permit`, { key: t.first.agent_key, body: {} });
    const second = permitOf(await redeem());
    expect(second).not.toBe(use.token);
    const late = redeem();
    const answers = await Promise.all(
      [use.token, second, use.token, second].map(async (token, i) => {
        const surface = t.surfaces[(i % 2) as 0 | 1];
        return { surface, answer: await surface.verify(t.first.verifier_key, { ...use, token }) };
      }),
    );
    expectOneUse(answers, id);
    const third = await late;
    if (third.status === 201) {
      const again = await t.expectUnchanged(() =>
        t.surfaces[0].verify(t.first.verifier_key, { ...use, token: permitOf(third) }),
      );
      expectInvalidPermit('A', again, 'already_used');
    } else expectInvalidPermit('B', third, 'already_used');
    expectInvalidPermit('B', await t.expectUnchanged(redeem), 'already_used');
  }
});

describe.each([0, 1] as const)('surface %#', (which) => {
  it('a use without action or parameters is refused, naming what is missing, and uses nothing', async () => {
    const surface = t.surfaces[which];
    const params = surface.name === 'A' ? 'context' : 'params';
    const { use } = await newPermit();
    for (const [left, missing] of [
      [{ action: ACTION }, ['/params']],
      [{ params: PARAMS }, ['/action']],
      [{}, ['/action', '/params']],
    ] as const) {
      const answer = await t.expectUnchanged(() =>
        surface.verify(t.first.verifier_key, { token: use.token, consume: true, ...left }),
      );
      expectRefused(surface.name, answer, 400, 'MISSING_FIELDS');
      const { fields } = answer.body.error as { fields: { path: string }[] };
      expect(fields.map(({ path }) => path)).toEqual(
        missing.map((path) => (path === '/params' ? `/${params}` : path)),
      );
    }
    for (const consume of ['true', 1, null, 'yes']) {
      const answer = await t.expectUnchanged(() =>
        surface.verify(t.first.verifier_key, { ...use, consume: consume as unknown as boolean }),
      );
      expectRefused(surface.name, answer, 400, 'INVALID_FIELDS', { fields: [{ path: '/consume' }] });
    }
    expect((await surface.verify(t.first.verifier_key, use)).status).toBe(200);
  });

  it('a check without both binds nothing and authorises nothing', async () => {
    const surface = t.surfaces[which];
    const { use } = await newPermit();
    for (const left of [{}, { action: ACTION }, { params: PARAMS }]) {
      const answer = await t.expectUnchanged(() =>
        surface.verify(t.first.verifier_key, { token: use.token, ...left }),
      );
      expect(answer.body).toMatchObject({ valid: true, bound: false, authorizes: false, consumed: false });
    }
  });

  it('a lost answer is given again under its key, and to nobody else', async () => {
    const surface = t.surfaces[which];
    const { use } = await newPermit();
    const key = randomUUID();
    const headers = { 'idempotency-key': key };
    const first = await surface.verify(t.first.verifier_key, use, headers);
    expect(first.body.consumed).toBe(true);
    const again = await t.expectUnchanged(() => surface.verify(t.first.verifier_key, use, headers));
    expect(again.status).toBe(200);
    expect(again.body).toEqual(first.body);
    expect(again.headers['idempotency-replayed']).toBe('true');
    expect(first.headers['idempotency-replayed']).toBeUndefined();

    const other = await t.expectUnchanged(() =>
      surface.verify(t.first.verifier_key, { ...use, params: { amount: 6 } }, headers),
    );
    expectRefused(surface.name, other, 422, 'IDEMPOTENCY_CONFLICT');
    for (const [who, more] of [
      [t.first.verifier_key, {}],
      [t.first.verifier_key, { 'idempotency-key': `${key}2` }],
      [t.first.agent_key, headers],
      [t.first.secret_key, headers],
    ] as const) {
      expectInvalidPermit(
        surface.name,
        await t.expectUnchanged(() => surface.verify(who, use, more)),
        'already_used',
      );
    }
    const elsewhere = t.surfaces[which === 0 ? 1 : 0];
    const there = await t.expectUnchanged(() => elsewhere.verify(t.first.verifier_key, use, headers));
    expectInvalidPermit(elsewhere.name, there, 'already_used');
  });

  it('50 under one key at once: used once; the others are told the same, or that it runs', async () => {
    const surface = t.surfaces[which];
    const { id, use } = await newPermit();
    const headers = { 'idempotency-key': randomUUID() };
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => surface.verify(t.first.verifier_key, use, headers)),
    );
    const [first] = answers.filter(({ status }) => status === 200);
    for (const answer of answers) {
      if (answer.status === 200) expect(answer.body).toEqual(first?.body);
      else expectRefused(surface.name, answer, 409, 'IDEMPOTENCY_CONFLICT');
    }
    expect(t.story(id).filter((type) => type === 'permit.consumed')).toHaveLength(1);
    expect((await surface.verify(t.first.verifier_key, use, headers)).body).toEqual(first?.body);
  });

  it('a lost answer is not given again when what it allowed was taken back since', async () => {
    const surface = t.surfaces[which];
    const headers = { 'idempotency-key': randomUUID() };
    const { id, use } = await newPermit();
    expect((await surface.verify(t.first.verifier_key, use, headers)).status).toBe(200);
    const root = `/v1/projects/${t.projectId}`;
    const { token: key } = t.owner;
    const repeat = () => t.expectUnchanged(() => surface.verify(t.first.verifier_key, use, headers));

    await t.call('POST', `${root}/agents/${t.agentId}/pause`, { key });
    expectInvalidPermit(surface.name, await repeat(), 'agent_paused');
    await t.call('POST', `${root}/agents/${t.agentId}/resume`, { present: t.owner });
    expect((await repeat()).status).toBe(200);
    await t.call('POST', `${root}/stop`, { key });
    expectInvalidPermit(surface.name, await repeat(), 'project_stopped');
    await t.call('POST', `${root}/start`, { present: t.owner });
    expect((await repeat()).status).toBe(200);
    await t.call('POST', '/v1/permits/revoke', { key, body: { intent_id: id } });
    expectInvalidPermit(surface.name, await repeat(), 'revoked');
  });
});

describe('the outcome', () => {
  it('is reported once, by whoever used the permit, among 20 at once', async () => {
    const { id, use } = await newPermit();
    const report = (key: string, outcome: string) =>
      t.call('POST', `/v1/intents/${id}/outcome`, { key, body: { outcome } });
    expectRefused(
      'B',
      await t.expectUnchanged(() => report(t.first.verifier_key, 'succeeded')),
      409,
      'CONFLICT',
    );
    await t.surfaces[0].verify(t.first.verifier_key, use);
    expectRefused('B', await report(t.first.secret_key, 'succeeded'), 403, 'FORBIDDEN', {
      required: 'consumer',
    });
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) => report(t.first.verifier_key, i % 2 ? 'succeeded' : 'failed')),
    );
    const [told] = answers.filter(({ status }) => status === 201);
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    for (const answer of answers.filter(({ status }) => status !== 201))
      expectRefused('B', answer, 409, 'CONFLICT');
    expect((await t.surfaces[1].read(t.first.agent_key, id)).body.outcome).toBe(told?.body.outcome);
    expect(t.story(id).filter((type) => type === 'outcome.reported')).toHaveLength(1);
  });
});
