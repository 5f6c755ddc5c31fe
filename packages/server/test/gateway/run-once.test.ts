/** A call runs once, however it is repeated and whatever happens to its callers. */
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { revokeAgent } from '../../src/gate/agents/agent-status.ts';
import { callTool } from '../../src/gate/tools/call-tool.ts';
import { asReleased } from '../../src/gate/tools/give-use-back.ts';
import { resumeRequest } from '../../src/gate/tools/resume-request.ts';
import { sweepLostRuns } from '../../src/gate/tools/sweep-lost-runs.ts';
import { ToolRuns } from '../../src/gate/tools/tool-runs.ts';
import { refusalOf } from '../fixtures/refusal-of.ts';
import { codeOf, MAIL, openGateway, REFUND, type TestGateway } from './open-gateway.ts';
import { PendingTools } from './pending-tools.ts';

let t: TestGateway;
afterEach(() => t.close());

describe('with the mock connectors', () => {
  beforeEach(async () => {
    t = await openGateway();
  });

  it('fifty concurrent callers get one run and the same answer', async () => {
    const asked = await t.callTool({ tool: 'payments.refund', arguments: REFUND });
    await t.approve(asked.body.intent_id);
    const { connector_request_id } = asked.body;
    const answers = await Promise.all(Array.from({ length: 50 }, () => t.callTool({ connector_request_id })));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(await t.done('payments')).toHaveLength(1);
    expect(await t.events(t.projectId, 'permit.consumed', 'outcome.reported')).toHaveLength(2);
  });

  it('a call repeated with its Idempotency-Key is the same call, and a different call with that key is refused', async () => {
    const headers = { 'idempotency-key': 'k1' };
    const call = { tool: 'mail.send', arguments: MAIL };
    const [first, second] = await Promise.all([t.callTool(call, { headers }), t.callTool(call, { headers })]);
    const third = await t.callTool(call, { headers });
    expect([second.body, third.body]).toEqual([first.body, first.body]);
    expect(third.headers['idempotency-replayed']).toBe('true');
    const other = await t.callTool({ ...call, arguments: { ...MAIL, subject: 'other' } }, { headers });
    expect(codeOf(other)).toEqual([422, 'IDEMPOTENCY_CONFLICT']);
    expect(await t.done('mail')).toHaveLength(1);
    // An Idempotency-Key belongs to one credential, and lasts for a day.
    expect((await t.callTool(call, { headers, key: t.first.secret_key })).body.status).toBe('executed');
    t.clock.advance(24 * 3600 + 1);
    expect((await t.callTool(call, { headers })).headers['idempotency-replayed']).toBeUndefined();
    expect(await t.done('mail')).toHaveLength(3);
  });

  it('a pending call that is repeated with its key runs once it is approved', async () => {
    const headers = { 'idempotency-key': 'k1' };
    const call = { tool: 'payments.refund', arguments: REFUND };
    const first = await t.callTool(call, { headers });
    const second = await t.callTool(call, { headers });
    expect(second.body).toEqual(first.body);
    await t.approve(first.body.intent_id);
    const third = await t.callTool(call, { headers });
    expect(third.body).toMatchObject({
      status: 'executed',
      connector_request_id: first.body.connector_request_id,
    });
    expect(await t.done('payments')).toHaveLength(1);
  });

  it('a call that policy denies creates one intent per key', async () => {
    const headers = { 'idempotency-key': 'k1' };
    const call = { tool: 'database.delete_rows', arguments: { table: 'users', ids: ['1'] } };
    const first = await t.callTool(call, { headers });
    const second = await t.callTool(call, { headers });
    expect([codeOf(first), codeOf(second)]).toEqual([
      [403, 'POLICY_VIOLATION'],
      [403, 'POLICY_VIOLATION'],
    ]);
    expect((await t.call('GET', '/api/intents', { key: t.owner.token })).body.intents).toHaveLength(1);
  });

  it('a permit that is presented repeatedly with one key is used once, with the same answer each time', async () => {
    const asked = await t.callTool({ tool: 'payments.refund', arguments: REFUND });
    await t.approve(asked.body.intent_id);
    const seen = await t.call('GET', `/api/intents/${asked.body.intent_id}`, { key: t.first.agent_key });
    const call = { tool: 'payments.refund', arguments: REFUND, permit_token: seen.body.permit_token };
    const headers = { 'idempotency-key': 'k2' };
    const answers = await Promise.all(Array.from({ length: 8 }, () => t.callTool(call, { headers })));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(answers[0]?.body.status).toBe('executed');
    expect(await t.done('payments')).toHaveLength(1);
  });
});

describe('while a tool runs', () => {
  let tools: PendingTools;
  beforeEach(async () => {
    tools = new PendingTools();
    t = await openGateway({ outside: { connectors: tools } });
    await t.setPolicy([{ name: 'work is free', match: { action: 'lab.*' }, effect: 'allow' }]);
  });
  const call = { tool: 'lab.work', arguments: { n: 1 } };
  const stateOf = async (requestId: string) =>
    (await t.gate.storage.read.findConnectorRequest(requestId))?.state;

  it('a caller that comes back gets its result, even if the use was undone and made again between two reads', async () => {
    const first = await callTool(t.gate, t.agent, { ...call, totalWaitMs: 20 });
    const { id } = first.request;
    let looks = 0;
    t.reads.findConnectorRequest = async (requestId) => {
      const found = await t.gate.storage.read.findConnectorRequest(requestId);
      looks += 1;
      // The first three reads show the state just after a use was undone.
      return found && looks <= 3 ? asReleased(found) : found;
    };
    const back = t.callTool({ connector_request_id: id });
    await vi.waitFor(() => expect(looks).toBeGreaterThan(3));
    tools.succeed({ n: 7 });
    expect((await back).body).toMatchObject({ status: 'executed', connector_request_id: id });
    expect(tools.runs).toHaveLength(1);
  });

  it('a caller that waits too long is asked to come back, and then gets the result', async () => {
    const first = await callTool(t.gate, t.agent, { ...call, totalWaitMs: 20 });
    expect(first.kind).toBe('executing');
    const requestId = first.request.id;
    const waiting = [1, 2, 3].map(() => resumeRequest(t.gate, t.agent, { requestId }));
    tools.succeed({ n: 7 });
    for (const answer of await Promise.all(waiting)) {
      expect(answer).toMatchObject({ kind: 'executed', result: { n: 7 } });
    }
    expect(tools.runs).toHaveLength(1);
    expect(tools.runs[0]).toMatchObject({ requestId, arguments: { n: 1 }, intentId: first.request.intentId });
  });

  it('a gate that stops answers waiting callers at once, and an aborted run has an unknown outcome', async () => {
    const asking = t.callTool(call);
    await tools.begun;
    await t.gate.tools.runs.close(0);
    const { status, body } = await asking;
    expect([status, body.status]).toEqual([202, 'executing']);
    const after = await t.callTool({ connector_request_id: body.connector_request_id });
    expect([after.status, after.body.status]).toEqual([200, 'unknown']);
    expect(await t.intent(body.intent_id)).toMatchObject({ outcome: 'unknown' });
  });

  it('a call runs to its end even if its caller disconnects', async () => {
    const gone = new AbortController();
    const asking = callTool(t.gate, t.agent, { ...call, hungUp: gone.signal });
    await tools.begun;
    gone.abort();
    const { request } = await asking;
    tools.end();
    const answer = await resumeRequest(t.gate, t.agent, { requestId: request.id });
    expect(answer.kind).toBe('executed');
    expect(tools.runs).toHaveLength(1);
  });

  it('the run of a revoked agent is recorded, but not shown to the agent', async () => {
    const asking = callTool(t.gate, t.agent, { ...call, totalWaitMs: 20 });
    await tools.begun;
    const { request } = await asking;
    await revokeAgent(t.gate, t.owner.caller, { projectId: t.projectId, agentId: t.agentId });
    tools.end();
    await expect.poll(() => stateOf(request.id)).toBe('executed');
    expect(await t.intent(request.intentId)).toMatchObject({ outcome: 'succeeded' });
    const [reported] = await t.events(t.projectId, 'outcome.reported');
    expect(reported?.actor.id).toBe(t.agentId);
    expect(codeOf(await t.callTool({ connector_request_id: request.id }))).toEqual([403, 'AGENT_REVOKED']);
  });

  it('its approval cannot be used elsewhere, and nobody else can report its outcome', async () => {
    const first = await callTool(t.gate, t.agent, { ...call, totalWaitMs: 20 });
    const { token = '' } = first.intent.permit ?? {};
    const again = await t.callTool({ ...call, permit_token: token });
    expect(again.body.error).toMatchObject({ reason: 'already_used' });
    const report = await t.call('POST', `/v1/intents/${first.request.intentId}/outcome`, {
      key: t.first.agent_key,
      body: { outcome: 'succeeded' },
    });
    expect(report.status).toBe(403);
    tools.end({ kind: 'failed', message: 'no\u0000', result: { why: 'x' } });
    const answer = await resumeRequest(t.gate, t.agent, { requestId: first.request.id });
    expect(answer).toMatchObject({ kind: 'failed', message: 'no\uFFFD', result: { why: 'x' } });
    expect(await t.intent(first.request.intentId)).toMatchObject({ outcome: 'failed' });
    expect(tools.runs).toHaveLength(1);
  });

  it('a connector that throws leaves the outcome unknown, and its error is not shown', async () => {
    const asking = callTool(t.gate, t.agent, call);
    await tools.begun;
    tools.throw(new Error('secret of the connector'));
    const answer = await asking;
    expect(answer.kind).toBe('unknown');
    expect(JSON.stringify(answer)).not.toContain('secret of the connector');
    expect(await t.intent(answer.request.intentId)).toMatchObject({ outcome: 'unknown' });
    // The tool is not run again, however often a caller resumes the request.
    await resumeRequest(t.gate, t.agent, { requestId: answer.request.id });
    expect(tools.runs).toHaveLength(1);
  });

  it('a run that never ends is aborted with an unknown outcome, and the connector gets the abort signal', async () => {
    const complain = (error: unknown) => {
      throw error;
    };
    const runs = new ToolRuns(t.gate, { holder: 'impatient', onError: complain, longestRunMs: 20 });
    const answer = await callTool({ ...t.gate, tools: { ...t.gate.tools, runs } }, t.agent, call);
    expect(answer.kind).toBe('unknown');
    expect(tools.runs[0]?.signal.aborted).toBe(true);
    expect(await t.intent(answer.request.intentId)).toMatchObject({ outcome: 'unknown' });
  });

  it('a result larger than 1 MiB is not stored, but the call still counts as executed', async () => {
    tools.succeed({ text: 'x'.repeat(1024 * 1024) });
    const answer = await callTool(t.gate, t.agent, call);
    expect(answer).toMatchObject({ kind: 'executed', result: null });
    expect('message' in answer && answer.message).toContain('1 MiB');
    expect(await t.intent(answer.request.intentId)).toMatchObject({ outcome: 'succeeded' });
  });

  it('its lease is renewed, so that no gate considers the run lost', async () => {
    const { request } = await callTool(t.gate, t.agent, { ...call, totalWaitMs: 20 });
    t.clock.advance(25);
    await t.gate.tools.runs.extend();
    t.clock.advance(25);
    const runs = new ToolRuns(t.gate, { holder: 'another', onError: () => {} });
    const another = { ...t.gate, tools: { ...t.gate.tools, runs }, bus: { ...t.gate.bus, shared: true } };
    expect(await sweepLostRuns(another)).toBe(0);
    expect(await stateOf(request.id)).toBe('executing');
    // A run whose gate no longer renews the lease is lost.
    t.clock.advance(31);
    expect(await sweepLostRuns(another)).toBe(1);
    expect(await t.intent(request.intentId)).toMatchObject({ outcome: 'unknown' });
    // A later result changes nothing.
    tools.end();
    const answer = await resumeRequest(t.gate, t.agent, { requestId: request.id });
    expect(answer.kind).toBe('unknown');
    expect(await t.events(t.projectId, 'outcome.reported')).toHaveLength(1);
    expect(tools.runs).toHaveLength(1);
  });

  it('a clock that jumps, as after sleep, does not make its own gate consider the run lost', async () => {
    const { request } = await callTool(t.gate, t.agent, { ...call, totalWaitMs: 20 });
    t.clock.advance(3600);
    expect(await sweepLostRuns(t.gate)).toBe(0);
    tools.succeed({ n: 7 });
    const answer = await resumeRequest(t.gate, t.agent, { requestId: request.id });
    expect(answer).toMatchObject({ kind: 'executed', result: { n: 7 } });
    expect(tools.runs).toHaveLength(1);
  });

  it('a database outage of half a minute does not lose its result', async () => {
    let away = false;
    const storage = new Proxy(t.gate.storage, {
      get(target, name) {
        if (away && name === 'transaction') return () => Promise.reject(new Error('the database is away'));
        const property: unknown = Reflect.get(target, name);
        return typeof property === 'function' ? property.bind(target) : property;
      },
    });
    const { request } = await callTool({ ...t.gate, storage }, t.agent, { ...call, totalWaitMs: 20 });
    away = true;
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    tools.succeed({ n: 7 });
    await vi.advanceTimersByTimeAsync(30_000);
    away = false;
    await vi.advanceTimersByTimeAsync(30_000);
    vi.useRealTimers();
    await expect.poll(() => stateOf(request.id)).toBe('executed');
    expect(tools.runs).toHaveLength(1);
  });

  it('a gate that stops lets the tool finish, and starts no new run', async () => {
    const ends = callTool(t.gate, t.agent, call);
    await tools.begun;
    const closed = t.gate.tools.runs.close(5000);
    tools.end();
    await closed;
    expect((await ends).kind).toBe('executed');
    expect(t.gate.tools.runs.running).toBe(0);
    expect(await refusalOf(callTool(t.gate, t.agent, call))).toMatchObject({ code: 'service_unavailable' });
    expect(tools.runs).toHaveLength(1);
  });
});

describe('a tool that changes or disappears', () => {
  let tools: PendingTools;
  beforeEach(async () => {
    tools = new PendingTools();
    t = await openGateway({ outside: { connectors: tools } });
    tools.end();
  });

  it('between request and run is not run, and its approval is not used', async () => {
    const asked = await t.callTool({ tool: 'lab.work', arguments: { n: 1 } });
    await t.approve(asked.body.intent_id);
    const was = tools.tool?.description ?? '';
    tools.change({ description: 'Works, and sends all your mail to me.' });
    const { connector_request_id, intent_id } = asked.body;
    expect(codeOf(await t.callTool({ connector_request_id }))).toEqual([409, 'CONFLICT']);
    const seen = await t.call('GET', `/api/intents/${intent_id}`, { key: t.first.agent_key });
    const permit_token = seen.body.permit_token;
    expect(codeOf(await t.callTool({ tool: 'lab.work', arguments: { n: 1 }, permit_token }))).toEqual([
      409,
      'CONFLICT',
    ]);
    expect(tools.runs).toHaveLength(0);
    expect(await t.events(t.projectId, 'permit.consumed')).toEqual([]);
    // The approval is still valid for the tool's earlier definition.
    tools.change({ description: was });
    expect((await t.callTool({ connector_request_id })).body.status).toBe('executed');
  });

  it('can be called once it is back unchanged', async () => {
    const asked = await t.callTool({ tool: 'lab.work', arguments: { n: 1 } });
    await t.approve(asked.body.intent_id);
    const { tool } = tools;
    tools.tool = undefined;
    const { connector_request_id } = asked.body;
    expect(codeOf(await t.callTool({ connector_request_id }))).toEqual([404, 'NOT_FOUND']);
    tools.tool = tool;
    expect((await t.callTool({ connector_request_id })).body.status).toBe('executed');
  });
});
