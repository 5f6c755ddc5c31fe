/** Tools run on a permit that is presented. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { codeOf, MAIL, openGateway, REFUND, RULES, type TestGateway } from './open-gateway.ts';

let t: TestGateway;
beforeEach(async () => {
  t = await openGateway();
});
afterEach(() => t.close());

/** An approved intent of surface B, with its permit. */
async function permitFor(action: string, params: object, more: object = {}) {
  const created = await t.call('POST', '/v1/intents', {
    key: t.first.agent_key,
    body: { action, params, ...more },
  });
  const { id } = created.body;
  if (created.body.status === 'pending') await t.approve(id);
  const { body } = await t.call('GET', `/v1/intents/${id}`, { key: t.first.agent_key });
  const { token } = body.permit as { token: string };
  return { intentId: String(id), token };
}
const present = (
  tool: string,
  given: object,
  token: string,
  options?: Parameters<TestGateway['callTool']>[1],
) => t.callTool({ tool, arguments: given, permit_token: token }, options);

describe('a permit', () => {
  it('runs its tool, even if its intent was not created through the gateway', async () => {
    const { intentId, token } = await permitFor('payments.refund', REFUND, { risk_tier: 'high' });
    const { status, body } = await present('payments.refund', REFUND, token);
    expect([status, body.status, body.intent_id]).toEqual([200, 'executed', intentId]);
    expect(await t.intent(intentId)).toMatchObject({ outcome: 'succeeded' });
    // The caller that presented the permit may resume the request.
    const again = await t.callTool({ connector_request_id: body.connector_request_id });
    expect(again.body).toEqual(body);
    expect(await t.done('payments')).toHaveLength(1);
  });

  it('of a call through the gateway settles that call, whichever credential presents it', async () => {
    const asked = await t.callTool({ tool: 'payments.refund', arguments: REFUND });
    await t.approve(asked.body.intent_id);
    const seen = await t.call('GET', `/api/intents/${asked.body.intent_id}`, { key: t.first.secret_key });
    const ran = await present('payments.refund', REFUND, String(seen.body.permit_token), {
      key: t.first.secret_key,
    });
    expect(ran.body).toMatchObject({
      status: 'executed',
      connector_request_id: asked.body.connector_request_id,
    });
    for (const key of [t.first.agent_key, t.first.secret_key]) {
      const { body } = await t.callTool({ connector_request_id: ran.body.connector_request_id }, { key });
      expect(body).toEqual(ran.body);
    }
    expect(await t.done('payments')).toHaveLength(1);
  });

  it.each([
    ['for other arguments', 'payments.refund', { ...REFUND, amount: 121 }, 'params_mismatch'],
    ['for another tool', 'mail.send', MAIL, 'action_mismatch'],
  ])('%s runs nothing, and can still be used', async (_name, tool, given, reason) => {
    const { token } = await permitFor('payments.refund', REFUND);
    const answer = await present(tool, given, token);
    expect(codeOf(answer)).toEqual([400, 'INVALID_PERMIT']);
    expect(answer.body.error).toMatchObject({ reason });
    expect([...(await t.done('payments')), ...(await t.done('mail'))]).toEqual([]);
    expect((await present('payments.refund', REFUND, token)).body.status).toBe('executed');
  });

  it('that was used, at the gateway or elsewhere, runs nothing', async () => {
    const here = await permitFor('payments.refund', REFUND);
    await present('payments.refund', REFUND, here.token);
    expect((await present('payments.refund', REFUND, here.token)).body.error).toMatchObject({
      reason: 'already_used',
    });
    const there = await permitFor('payments.refund', REFUND);
    await t.call('POST', '/v1/permits/validate', {
      key: t.first.agent_key,
      body: { token: there.token, action: 'payments.refund', params: REFUND, consume: true },
    });
    expect((await present('payments.refund', REFUND, there.token)).body.error).toMatchObject({
      reason: 'already_used',
    });
    expect(await t.done('payments')).toHaveLength(1);
  });

  it('of a gateway call, once used elsewhere, no longer runs that call', async () => {
    const asked = await t.callTool({ tool: 'payments.refund', arguments: REFUND });
    await t.approve(asked.body.intent_id);
    const { body } = await t.call('GET', `/v1/intents/${asked.body.intent_id}`, { key: t.first.agent_key });
    await t.call('POST', '/v1/permits/validate', {
      key: t.first.verifier_key,
      body: {
        token: (body.permit as { token: string }).token,
        action: 'payments.refund',
        params: REFUND,
        consume: true,
      },
    });
    const answer = await t.callTool({ connector_request_id: asked.body.connector_request_id });
    expect(answer.body.error).toMatchObject({ code: 'INVALID_PERMIT', reason: 'already_used' });
    expect(await t.done('payments')).toEqual([]);
  });

  it('is refused for a tool with a higher risk than its intent declared, if policy then requires more', async () => {
    const lowIsFree = {
      name: 'low is free',
      match: { action: 'payments.*', risk_tier: 'low' },
      effect: 'allow',
    };
    await t.setPolicy([lowIsFree]);
    const { token } = await permitFor('payments.refund', REFUND);
    const answer = await present('payments.refund', REFUND, token);
    expect(answer.body.error).toMatchObject({ code: 'INVALID_PERMIT', reason: 'policy_changed' });
    expect(await t.done('payments')).toEqual([]);
    // Requested through the gateway, the call needs approval, because the tool's risk is high.
    expect((await t.callTool({ tool: 'payments.refund', arguments: REFUND })).body.status).toBe('pending');
  });

  it('of another agent runs nothing, and neither does a text that is not a permit', async () => {
    const { token } = await permitFor('payments.refund', REFUND);
    const { key } = await t.addAgent({ name: 'another' });
    expect(codeOf(await present('payments.refund', REFUND, token, { key }))).toEqual([
      404,
      'INTENT_NOT_FOUND',
    ]);
    for (const wrong of ['', 'x', `${token.slice(0, -4)}AAAA`]) {
      expect(codeOf(await present('payments.refund', REFUND, wrong))).toEqual([400, 'INVALID_PERMIT']);
    }
    expect(await t.done('payments')).toEqual([]);
  });

  it('is used only once when the gateway and the API get it many times at once', async () => {
    for (let round = 0; round < 3; round += 1) {
      const before = (await t.done('payments')).length;
      const { token } = await permitFor('payments.refund', REFUND);
      const consume = { token, action: 'payments.refund', params: REFUND, consume: true };
      const answers = await Promise.all(
        Array.from({ length: 10 }, (_, n) =>
          n % 2 === 0
            ? present('payments.refund', REFUND, token)
            : t.call('POST', '/v1/permits/validate', { key: t.first.agent_key, body: consume }),
        ),
      );
      const won = answers.filter(({ status }) => status === 200);
      expect(won).toHaveLength(1);
      const ran = won.filter(({ body }) => body.status === 'executed').length;
      expect((await t.done('payments')).length).toBe(before + ran);
    }
  });

  it('that ran a tool at the gateway lets nobody else report the outcome', async () => {
    const { intentId, token } = await permitFor('payments.refund', REFUND);
    await present('payments.refund', REFUND, token);
    const report = await t.call('POST', `/v1/intents/${intentId}/outcome`, {
      key: t.first.agent_key,
      body: { outcome: 'failed' },
    });
    expect(report.status).toBe(403);
    expect(await t.intent(intentId)).toMatchObject({ outcome: 'succeeded' });
    await t.setPolicy(RULES);
  });
});
