/** A use of an approval is undone if nothing was sent, and the approval still runs at most one call. */
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { resumeRequest } from '../../src/gate/tools/resume-request.ts';
import { sweepLostRuns } from '../../src/gate/tools/sweep-lost-runs.ts';
import { ToolRuns } from '../../src/gate/tools/tool-runs.ts';
import type { GateParts } from '../../src/open-gate.ts';
import type { Transaction } from '../../src/storage/nouns.ts';
import { refusalOf } from '../fixtures/refusal-of.ts';
import { FickleTools } from './fickle-tools.ts';
import { codeOf, openGateway, type TestGateway } from './open-gateway.ts';

let t: TestGateway;
let tools: FickleTools;
beforeEach(async () => {
  tools = new FickleTools(1);
  t = await openGateway({ outside: { connectors: tools } });
});
afterEach(() => t.close());

const CALL = { tool: 'lab.work', arguments: { n: 1 } };

/** A call that was approved. */
async function approved(): Promise<{ connector_request_id: string; intent_id: string }> {
  const { body } = await t.callTool(CALL);
  await t.approve(body.intent_id);
  return {
    connector_request_id: String(body.connector_request_id),
    intent_id: String(body.intent_id),
  };
}

const permitOf = async (intentId: string) => {
  const { body } = await t.call('GET', `/api/intents/${intentId}`, { key: t.first.agent_key });
  return body.permit_token;
};
const eventsOf = async () => {
  const types = ['permit.consumed', 'permit.released', 'outcome.reported'] as const;
  return (await t.events(t.projectId, ...types)).map(({ type }) => type);
};
const USED_GIVEN_BACK = ['permit.consumed', 'permit.released'];
const USED_AND_RUN = ['permit.consumed', 'outcome.reported'];

describe('an approved call that was not sent', () => {
  it('is refused for the moment, keeps its approval, and runs once when the caller comes back', async () => {
    const { connector_request_id, intent_id } = await approved();
    const away = await t.callTool({ connector_request_id });
    expect(codeOf(away)).toEqual([503, 'SERVICE_UNAVAILABLE']);
    expect(away.headers['retry-after']).toBe('5');
    expect(away.text).toContain('the approval is not used');
    expect(await t.intent(intent_id)).toMatchObject({ status: 'approved', outcome: null });
    const kept = await t.gate.storage.read.findIntent(intent_id);
    expect(kept).toMatchObject({ consumedAt: null, consumedBy: null });
    expect(await t.gate.storage.read.findConnectorRequest(connector_request_id)).toMatchObject({
      state: 'pending',
      ranBy: null,
      leasedBy: null,
      leasedUntil: null,
      message: null,
      settledAt: null,
    });
    const [used, released] = await t.events(t.projectId, 'permit.consumed', 'permit.released');
    expect(released).toMatchObject({
      intentId: intent_id,
      actor: used?.actor,
      data: {
        permit_id: used?.data.permit_id,
        reason: 'The connection failed (ECONNREFUSED).',
        connector_request_id,
      },
    });

    const again = await t.callTool({ connector_request_id });
    expect([again.status, again.body.status]).toEqual([200, 'executed']);
    expect(tools.sent).toHaveLength(1);
    expect(await eventsOf()).toEqual([...USED_GIVEN_BACK, ...USED_AND_RUN]);
    // From then on the approval counts as used.
    const third = await t.callTool({ ...CALL, permit_token: await permitOf(intent_id) });
    expect(third.body.error).toMatchObject({ code: 'INVALID_PERMIT', reason: 'already_used' });
    expect(tools.sent).toHaveLength(1);
  });

  it('with a permit and an Idempotency-Key is the same call when it is repeated', async () => {
    const { intent_id } = await approved();
    const call = { ...CALL, permit_token: await permitOf(intent_id) };
    const headers = { 'idempotency-key': 'k1' };
    expect(codeOf(await t.callTool(call, { headers }))).toEqual([503, 'SERVICE_UNAVAILABLE']);
    const again = await t.callTool(call, { headers });
    expect([again.status, again.body.status]).toEqual([200, 'executed']);
    const third = await t.callTool(call, { headers });
    expect(third.body).toEqual(again.body);
    expect(tools.sent).toHaveLength(1);
  });

  it('with the permit of an intent from the API leaves that permit for the next try', async () => {
    const made = await t.call('POST', '/v1/intents', {
      key: t.first.agent_key,
      body: { action: 'lab.work', params: { n: 1 } },
    });
    await t.approve(made.body.id);
    const call = { ...CALL, permit_token: await permitOf(String(made.body.id)) };
    expect(codeOf(await t.callTool(call))).toEqual([503, 'SERVICE_UNAVAILABLE']);
    const again = await t.callTool(call);
    expect(again.body.status).toBe('executed');
    expect(tools.sent).toHaveLength(1);
  });

  it('can have its permit used elsewhere, and is then not run here', async () => {
    const { connector_request_id, intent_id } = await approved();
    await t.callTool({ connector_request_id });
    const body = { token: await permitOf(intent_id), action: 'lab.work', params: { n: 1 }, consume: true };
    const used = await t.call('POST', '/v1/permits/validate', { key: t.first.agent_key, body });
    expect(used.status).toBe(200);
    const back = await t.callTool({ connector_request_id });
    expect(back.body.error).toMatchObject({ code: 'INVALID_PERMIT', reason: 'already_used' });
    expect(tools.sent).toEqual([]);
  });

  it('fails for good if its approval was revoked in the meantime', async () => {
    const { connector_request_id, intent_id } = await approved();
    const { run } = tools;
    tools.run = async (call) => {
      const revoked = await t.call('POST', '/v1/permits/revoke', {
        key: t.owner.token,
        body: { intent_id },
      });
      expect(revoked.status).toBe(200);
      return run(call);
    };
    const { body } = await t.callTool({ connector_request_id });
    expect(body).toMatchObject({ status: 'failed', message: expect.stringContaining('ECONNREFUSED') });
    expect(await eventsOf()).toEqual(USED_AND_RUN);
    expect((await t.callTool({ connector_request_id })).body.status).toBe('failed');
    expect(tools.sent).toEqual([]);
  });

  it('fails if policy had allowed it, and a new call is allowed again', async () => {
    await t.setPolicy([{ name: 'work is free', match: { action: 'lab.*' }, effect: 'allow' }]);
    const first = await t.callTool(CALL);
    expect(first.body).toMatchObject({
      status: 'failed',
      message: expect.stringContaining('ECONNREFUSED'),
    });
    expect(await eventsOf()).toEqual(USED_AND_RUN);
    expect((await t.callTool(CALL)).body.status).toBe('executed');
  });
});

describe('a tool call that is resubmitted', () => {
  const resubmit = (id: string, key = t.first.agent_key) =>
    t.call('POST', `/v1/intents/${id}/ask-again`, { key, body: {} });

  it('after its expiry runs once on the approval of the new request', async () => {
    tools.refusals = 0;
    const { body } = await t.callTool(CALL);
    t.clock.advance(4000);
    const again = await resubmit(String(body.intent_id));
    expect([again.status, again.body]).toMatchObject([201, { status: 'pending', action: 'lab.work' }]);
    await t.approve(again.body.id);
    const permit_token = await permitOf(String(again.body.id));
    const ran = await t.callTool({ ...CALL, permit_token });
    expect(ran.body).toMatchObject({ status: 'executed', intent_id: again.body.id });
    const request = await t.gate.storage.read.findConnectorRequestOf(String(again.body.id));
    expect(request).toMatchObject({ state: 'executed', credentialId: t.agent.credentialId });
    expect((await t.callTool({ connector_request_id: request?.id })).body.status).toBe('executed');
    expect(tools.sent).toHaveLength(1);
  });

  it('is not run at once even if policy allows it now, but when the agent comes back', async () => {
    tools.refusals = 0;
    const { body } = await t.callTool(CALL);
    t.clock.advance(4000);
    await t.setPolicy([{ name: 'work is free', match: { action: 'lab.*' }, effect: 'allow' }]);
    const again = await resubmit(String(body.intent_id));
    expect([again.status, again.body.status]).toEqual([201, 'approved']);
    expect(tools.runs).toBe(0);
    const { token } = again.body.permit as { token: string };
    expect((await t.callTool({ ...CALL, permit_token: token })).body.status).toBe('executed');
    expect(tools.sent).toHaveLength(1);
  });

  it('uses the tool as it is now, and is refused without a new request if the tool is gone', async () => {
    const { body } = await t.callTool(CALL);
    t.clock.advance(4000);
    const { find } = tools;
    tools.find = async () => undefined;
    const refused = await resubmit(String(body.intent_id));
    expect(codeOf(refused)).toEqual([404, 'not_found']);
    expect(await t.events(t.projectId, 'intent.created')).toHaveLength(1);
    tools.find = find;
    tools.tool = { ...tools.tool, description: 'Works otherwise.' };
    const again = await resubmit(String(body.intent_id));
    expect(again.status).toBe(201);
    const { toolHash } = (await t.gate.storage.read.findConnectorRequestOf(String(again.body.id))) ?? {};
    const first = await t.gate.storage.read.findConnectorRequestOf(String(body.intent_id));
    expect(toolHash).not.toBe(first?.toolHash);
  });
});

describe('at most one call is sent', () => {
  it('when forty callers come back with the request or the permit, while the use is undone again and again', async () => {
    tools.refusals = 8;
    const { connector_request_id, intent_id } = await approved();
    const permit_token = await permitOf(intent_id);
    const insist = async (body: object) => {
      for (;;) {
        const answer = await t.callTool(body);
        if (answer.status !== 503) return answer;
      }
    };
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, i) =>
        insist(i % 4 === 0 ? { ...CALL, permit_token } : { connector_request_id }),
      ),
    );
    const executed = answers.filter(({ status }) => status === 200);
    expect(executed.length).toBeGreaterThanOrEqual(30);
    for (const { status, body } of answers) {
      if (status === 200) expect(body).toMatchObject({ status: 'executed', connector_request_id });
      else expect(body.error).toMatchObject({ code: 'INVALID_PERMIT', reason: 'already_used' });
    }
    expect(tools.sent).toHaveLength(1);
    const events = await eventsOf();
    const count = (type: string) => events.filter((one) => one === type).length;
    expect([count('permit.consumed'), count('permit.released'), count('outcome.reported')]).toEqual([
      9, 8, 1,
    ]);
  });

  it('when the gate dies before it undoes the use, and the outcome is then unknown', async () => {
    const { connector_request_id: requestId, intent_id } = await approved();
    // Once the call is about to be sent, nothing is written any longer, as if the process had been killed.
    const dead = withStorage(
      t.gate,
      (transaction) => (work, how) => (tools.runs > 0 ? new Promise(() => {}) : transaction(work, how)),
    );
    expect((await resumeRequest(dead, t.agent, { requestId, totalWaitMs: 20 })).kind).toBe('executing');
    await expect.poll(() => tools.runs).toBe(1);
    const runs = new ToolRuns(t.gate, { holder: 'another start', onError: () => {} });
    const restarted = { ...t.gate, tools: { ...t.gate.tools, runs } };
    // Another gate on the database leaves the run alone while the lease of the run lasts.
    const beside = { ...restarted, bus: { ...t.gate.bus, shared: true } };
    expect(await sweepLostRuns(beside)).toBe(0);
    t.clock.advance(31);
    expect(await sweepLostRuns(beside)).toBe(1);
    for (let again = 0; again < 3; again += 1) {
      const answer = await resumeRequest(restarted, t.agent, { requestId });
      expect(answer.kind).toBe('unknown');
    }
    expect(await t.intent(intent_id)).toMatchObject({ outcome: 'unknown' });
    expect(await eventsOf()).toEqual(USED_AND_RUN);
    expect(tools.sent).toEqual([]);
    expect(tools.runs).toBe(1);
  });

  it('when the database’s answer about undoing the use is lost, and the next use is already running', async () => {
    const { connector_request_id: requestId, intent_id } = await approved();
    const lost = Promise.withResolvers<void>();
    let losses = 1;
    const gate = withStorage(t.gate, (transaction) => async (work, how) => {
      const isGivingBack = tools.runs === 1 && losses > 0;
      const done = await transaction(work, how);
      if (!isGivingBack) return done;
      losses -= 1;
      lost.resolve();
      throw new Error('the connection was cut before the answer');
    });
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const first = resumeRequest(gate, t.agent, { requestId });
    first.catch(() => undefined);
    await lost.promise;
    // The undoing is committed. The next attempt uses the approval, and its call is sent and takes a while.
    const answer = Promise.withResolvers<void>();
    tools.answer = async () => {
      await answer.promise;
      return { kind: 'succeeded', result: { done: true } };
    };
    const second = resumeRequest(t.gate, t.agent, { requestId });
    await vi.waitFor(() => expect(tools.sent).toHaveLength(1));
    // The first attempt now retries its undoing, and must not mistake the second use for its own.
    await vi.advanceTimersByTimeAsync(1000);
    vi.useRealTimers();
    expect(await t.intent(intent_id)).toMatchObject({ outcome: null });
    expect(await t.gate.storage.read.findConnectorRequest(requestId)).toMatchObject({ state: 'executing' });
    answer.resolve();
    expect((await second).kind).toBe('executed');
    await first.catch(() => undefined);
    expect(await t.intent(intent_id)).toMatchObject({ outcome: 'succeeded' });
    expect(await eventsOf()).toEqual([...USED_GIVEN_BACK, ...USED_AND_RUN]);
    expect(tools.sent).toHaveLength(1);
    // Every later attempt finds the outcome.
    expect((await resumeRequest(t.gate, t.agent, { requestId })).kind).toBe('executed');
    expect(tools.sent).toHaveLength(1);
  });

  it('because a run after an undone use still renews its lease', async () => {
    const { connector_request_id: requestId } = await approved();
    expect((await refusalOf(resumeRequest(t.gate, t.agent, { requestId }))).code).toBe('service_unavailable');
    tools.answer = () => new Promise(() => {});
    const { request } = await resumeRequest(t.gate, t.agent, { requestId, totalWaitMs: 20 });
    expect(request.state).toBe('executing');
    expect(t.gate.tools.runs.find(requestId)).toBeDefined();
    t.clock.advance(25);
    await t.gate.tools.runs.extend();
    const { leasedUntil } = (await t.gate.storage.read.findConnectorRequest(requestId)) ?? {};
    expect(leasedUntil).toBe(t.gate.tools.runs.leaseEnd());
  });
});

type Transact = GateParts['storage']['transaction'];

/** The gate with a storage whose transactions go through `wrap`. */
function withStorage(gate: GateParts, wrap: (transaction: Transact) => Transact): GateParts {
  const transaction = wrap(<T>(work: (tx: Transaction) => Promise<T>, how?: Parameters<Transact>[1]) =>
    gate.storage.transaction(work, how),
  );
  const storage = new Proxy(gate.storage, {
    get(target, name) {
      if (name === 'transaction') return transaction;
      const property: unknown = Reflect.get(target, name);
      return typeof property === 'function' ? property.bind(target) : property;
    },
  });
  return { ...gate, storage };
}
