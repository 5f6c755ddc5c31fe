import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { pauseAgent, revokeAgent } from '../../src/gate/agents/agent-status.ts';
import { stopProject } from '../../src/gate/projects/stop-switch.ts';
import { checkName } from '../../src/gate/upstreams/upstream-settings.ts';
import { MOCK_CONNECTORS } from '../../src/gateway/mock/mock-connectors.ts';
import { codeOf, MAIL, openGateway, REFUND, RULES, type TestGateway } from './open-gateway.ts';

let t: TestGateway;
beforeEach(async () => {
  t = await openGateway();
});
afterEach(() => t.close());

/** A refund that is pending. */
async function ask(options: Parameters<TestGateway['callTool']>[1] = {}) {
  const { status, body } = await t.callTool({ tool: 'payments.refund', arguments: REFUND }, options);
  expect([status, body.status]).toEqual([202, 'pending']);
  return { requestId: String(body.connector_request_id), intentId: String(body.intent_id) };
}
const resume = (requestId: string, options: Parameters<TestGateway['callTool']>[1] = {}) =>
  t.callTool({ connector_request_id: requestId }, options);

describe('the gateway', () => {
  it('lists the six mock tools with the schemas of their arguments', async () => {
    const { status, body } = await t.call('GET', '/api/mcp-gateway', { key: t.first.agent_key });
    const tools = body.tools as { name: string; risk_tier: string; input_schema: object }[];
    expect(status).toBe(200);
    expect(tools.map(({ name, risk_tier }) => [name, risk_tier])).toEqual([
      ['database.delete_rows', 'critical'],
      ['deploy.production', 'high'],
      ['files.delete', 'medium'],
      ['iam.grant_role', 'critical'],
      ['mail.send', 'low'],
      ['payments.refund', 'high'],
    ]);
    expect(tools.every(({ input_schema }) => 'properties' in input_schema)).toBe(true);
  });

  it('runs at once what policy allows, and returns the result', async () => {
    const { status, body } = await t.callTool({ tool: 'mail.send', arguments: MAIL });
    expect([status, body.status]).toEqual([200, 'executed']);
    expect(body.result).toMatchObject({ accepted: [MAIL.to] });
    expect(body.receipt_v2).toMatchObject({ receipt_version: 2, approved_by: 'policy:mails are free' });
    expect(await t.done('mail')).toMatchObject([
      { intent_id: body.intent_id, tool: 'mail.send', arguments: MAIL },
    ]);
    expect(await t.intent(body.intent_id)).toMatchObject({
      status: 'approved',
      action: 'mail.send',
      outcome: 'succeeded',
    });
    const events = await t.events(t.projectId, 'permit.consumed', 'outcome.reported');
    expect(events.map(({ type, actor }) => [type, actor.id])).toEqual([
      ['permit.consumed', t.agentId],
      ['outcome.reported', t.agentId],
    ]);
  });

  it('asks for approval where policy requires it, and runs the call once it is approved', async () => {
    const asked = await t.callTool({ tool: 'payments.refund', arguments: REFUND });
    expect([asked.status, asked.body.status]).toEqual([202, 'pending']);
    const { connector_request_id, intent_id } = asked.body;
    const early = await t.callTool({ connector_request_id });
    expect(early.body).toEqual(asked.body);
    expect(await t.done('payments')).toEqual([]);
    await t.approve(intent_id);
    const ran = await t.callTool({ connector_request_id });
    expect([ran.status, ran.body.status, ran.body.intent_id]).toEqual([200, 'executed', intent_id]);
    expect((await t.callTool({ connector_request_id })).body).toEqual(ran.body);
    expect(await t.done('payments')).toMatchObject([{ intent_id, arguments: REFUND }]);
  });

  it('holds the answer until a person has decided, if the caller waits', async () => {
    const { requestId, intentId } = await ask();
    const held = resume(requestId, { wait: 30 });
    await t.approve(intentId);
    expect((await held).body).toMatchObject({ status: 'executed' });
  });

  it('reports a tool that did not succeed as failed, and so does the outcome', async () => {
    await t.setPolicy([...RULES, { name: 'all', match: { action: 'payments.*' }, effect: 'allow' }]);
    const { status, body } = await t.callTool({
      tool: 'payments.refund',
      arguments: { ...REFUND, charge: 'ch_declined' },
    });
    expect([status, body.status, body.result]).toEqual([200, 'failed', null]);
    expect(body.message).toContain('declined');
    expect(await t.intent(body.intent_id)).toMatchObject({ outcome: 'failed' });
    expect(await t.done('payments')).toEqual([]);
  });

  it('shows its intents to approvers like any other, with the tool’s risk', async () => {
    const { intentId } = await ask();
    expect(await t.intent(intentId)).toMatchObject({
      status: 'pending',
      action: 'payments.refund',
      params: REFUND,
      risk_tier: 'high',
      source_type: 'ai_agent',
      approval_url: `http://localhost:4000/approve/${intentId}`,
    });
    const { intents } = (await t.call('GET', '/api/intents?status=pending', { key: t.owner.token })).body;
    expect(intents).toMatchObject([{ id: intentId, context: REFUND }]);
  });

  it('accepts the same properties as an intent, and only raises tiers', async () => {
    const { body } = await t.callTool(
      {
        tool: 'payments.refund',
        arguments: REFUND,
        source: 'nightly job',
        source_type: 'ci',
        risk_tier: 'low',
        proof_tier: 'session',
      },
      { key: t.first.secret_key },
    );
    expect(await t.intent(body.intent_id)).toMatchObject({
      source: 'nightly job',
      source_type: 'ci',
      risk_tier: 'high',
      proof_tier: 'session',
    });
    const raised = await t.callTool({ tool: 'payments.refund', arguments: REFUND, risk_tier: 'critical' });
    expect(await t.intent(raised.body.intent_id)).toMatchObject({ risk_tier: 'critical' });
    const stranger = await t.callTool({ tool: 'mail.send', arguments: MAIL, source: 'another' });
    expect(codeOf(stranger)).toEqual([403, 'FORBIDDEN']);
    expect(await t.done('mail')).toEqual([]);
  });

  it('runs in live mode as well', async () => {
    const live = await openGateway({ mode: 'live' });
    const { body } = await live.callTool({ tool: 'mail.send', arguments: MAIL });
    expect(body.status).toBe('executed');
    expect(await live.done('mail')).toHaveLength(1);
    await live.close();
  });
});

describe('the gateway does not run', () => {
  it('a call that policy denies, which is recorded and refused again when repeated', async () => {
    const denied = await t.callTool({
      tool: 'database.delete_rows',
      arguments: { table: 'users', ids: ['1'] },
    });
    expect(codeOf(denied)).toEqual([403, 'POLICY_VIOLATION']);
    const { intent_id } = denied.body.error as { intent_id: string };
    expect(denied.body.error).toMatchObject({ rule: 'rows stay', reason: 'Not by an agent.' });
    expect(await t.intent(intent_id)).toMatchObject({ status: 'denied' });
    const request = await t.gate.storage.read.findConnectorRequestOf(intent_id);
    expect(codeOf(await resume(request?.id ?? ''))).toEqual([403, 'POLICY_VIOLATION']);
    expect(await t.done('database')).toEqual([]);
  });

  it('a call that a person denies, and returns the reason', async () => {
    const { requestId, intentId } = await ask();
    await t.call('POST', `/v1/intents/${intentId}/deny`, {
      key: t.owner.token,
      body: { reason: 'Too much.' },
    });
    const answer = await resume(requestId);
    expect(codeOf(answer)).toEqual([403, 'INTENT_DENIED']);
    expect(answer.body.error).toMatchObject({ reason: 'Too much.', intent_id: intentId });
    expect(await t.done('payments')).toEqual([]);
  });

  it('a call that was withdrawn or has expired', async () => {
    const withdrawn = await ask();
    await t.call('POST', `/v1/intents/${withdrawn.intentId}/withdraw`, { key: t.first.agent_key, body: {} });
    const answer = await resume(withdrawn.requestId);
    expect(codeOf(answer)).toEqual([403, 'INTENT_DENIED']);
    expect(answer.body.error).toMatchObject({ reason: 'withdrawn' });
    const expired = await ask();
    t.clock.advance(3601);
    expect(codeOf(await resume(expired.requestId))).toEqual([410, 'INTENT_EXPIRED']);
    expect(await t.done('payments')).toEqual([]);
  });

  it('a tool that does not exist, or a call whose arguments do not fit, and creates no intent', async () => {
    const unknown = await t.callTool({ tool: 'mail.read', arguments: {} });
    expect(codeOf(unknown)).toEqual([404, 'NOT_FOUND']);
    const unfit = await t.callTool({ tool: 'mail.send', arguments: { to: 7, subject: '', cc: 'x' } });
    expect(codeOf(unfit)).toEqual([400, 'MISSING_FIELDS']);
    const { fields } = unfit.body.error as { fields: { path: string }[] };
    expect(fields.map(({ path }) => path).sort()).toEqual([
      '/arguments/cc',
      '/arguments/subject',
      '/arguments/text',
      '/arguments/to',
    ]);
    expect(codeOf(await t.callTool({ tool: 'mail.send' }))).toEqual([400, 'MISSING_FIELDS']);
    expect(codeOf(await t.callTool({ tool: 'mail.send', arguments: { ...MAIL, subject: 7 } }))).toEqual([
      400,
      'INVALID_FIELDS',
    ]);
    expect(codeOf(await t.callTool({}))).toEqual([400, 'MISSING_FIELDS']);
    const both = await t.callTool({ connector_request_id: 'crq_x', tool: 'mail.send', arguments: MAIL });
    expect(codeOf(both)).toEqual([400, 'INVALID_FIELDS']);
    expect(both.body.error).toMatchObject({
      message:
        'tool: cannot be combined with connector_request_id. arguments: cannot be combined with connector_request_id.',
    });
    const { intents } = (await t.call('GET', '/api/intents', { key: t.owner.token })).body;
    expect(intents).toEqual([]);
    expect(await t.done('mail')).toEqual([]);
  });

  it('a call for another credential than the one that made it', async () => {
    const { requestId, intentId } = await ask();
    await t.approve(intentId);
    const sameAgent = await t.call('POST', `/v1/projects/${t.projectId}/keys`, {
      key: t.owner.token,
      body: { kind: 'agent', name: 'second key', agent_id: t.agentId },
    });
    const another = await t.addAgent({ name: 'another' });
    for (const key of [another.key, String(sameAgent.body.key), t.first.secret_key]) {
      expect(codeOf(await resume(requestId, { key }))).toEqual([404, 'NOT_FOUND']);
    }
    for (const key of [t.first.verifier_key, t.owner.token]) {
      expect(codeOf(await resume(requestId, { key }))).toEqual([403, 'FORBIDDEN']);
    }
    expect(codeOf(await resume('crq_01hzzzzzzzzzzzzzzzzzzzzzzz'))).toEqual([404, 'NOT_FOUND']);
    expect(await t.done('payments')).toEqual([]);
    expect((await resume(requestId)).body.status).toBe('executed');
  });

  it('an approved call whose agent was then revoked or paused', async () => {
    const { requestId, intentId } = await ask();
    await t.approve(intentId);
    await pauseAgent(t.gate, t.owner.caller, { projectId: t.projectId, agentId: t.agentId });
    const paused = await resume(requestId);
    expect(codeOf(paused)).toEqual([400, 'INVALID_PERMIT']);
    expect(paused.body.error).toMatchObject({ reason: 'agent_paused' });
    expect(codeOf(await t.callTool({ tool: 'mail.send', arguments: MAIL }))).toEqual([403, 'AGENT_PAUSED']);
    await revokeAgent(t.gate, t.owner.caller, { projectId: t.projectId, agentId: t.agentId });
    expect(codeOf(await resume(requestId))).toEqual([403, 'AGENT_REVOKED']);
    expect([...(await t.done('payments')), ...(await t.done('mail'))]).toEqual([]);
  });

  it('an approved call whose project was then stopped or whose policy became stricter', async () => {
    const { requestId, intentId } = await ask();
    await t.approve(intentId);
    await t.setPolicy([{ name: 'none', match: { action: 'payments.*' }, effect: 'deny' }]);
    const stricter = await resume(requestId);
    expect(stricter.body.error).toMatchObject({ code: 'INVALID_PERMIT', reason: 'policy_changed' });
    await t.setPolicy(RULES);
    await stopProject(t.gate, t.owner.caller, { projectId: t.projectId });
    const stopped = await resume(requestId);
    expect(stopped.body.error).toMatchObject({ code: 'INVALID_PERMIT', reason: 'project_stopped' });
    expect(codeOf(await t.callTool({ tool: 'mail.send', arguments: MAIL }))).toEqual([
      403,
      'PROJECT_STOPPED',
    ]);
    expect([...(await t.done('payments')), ...(await t.done('mail'))]).toEqual([]);
  });

  it('an approved call that was then revoked', async () => {
    const { requestId, intentId } = await ask();
    await t.approve(intentId);
    await t.call('POST', '/v1/permits/revoke', { key: t.owner.token, body: { intent_id: intentId } });
    const answer = await resume(requestId);
    expect(answer.body.error).toMatchObject({ code: 'INVALID_PERMIT', reason: 'revoked' });
    expect(await t.done('payments')).toEqual([]);
  });
});

describe('a caller that comes back late', () => {
  it('needs no second approval while the intent has not expired', async () => {
    const { requestId, intentId } = await ask();
    await t.approve(intentId);
    // The permit has expired, but the intent has not.
    t.clock.advance(400);
    expect((await resume(requestId)).body.status).toBe('executed');
    const late = await ask();
    await t.approve(late.intentId);
    t.clock.advance(3601);
    expect(codeOf(await resume(late.requestId))).toEqual([410, 'INTENT_EXPIRED']);
    expect(await t.done('payments')).toHaveLength(1);
  });
});

describe('the records of the mock connectors', () => {
  it('are listed newest first, page by page, for callers that may read the audit log', async () => {
    for (const subject of ['one', 'two', 'three']) {
      await t.callTool({ tool: 'mail.send', arguments: { ...MAIL, subject } });
    }
    const url = `/v1/projects/${t.projectId}/mock-connectors/mail`;
    const page = await t.call('GET', `${url}?limit=2`, { key: t.owner.token });
    const subjects = (body: Record<string, unknown>) =>
      (body.data as { arguments: { subject: string } }[]).map((record) => record.arguments.subject);
    expect(subjects(page.body)).toEqual(['three', 'two']);
    const rest = await t.call('GET', `${url}?limit=2&cursor=${page.body.next_cursor}`, {
      key: t.owner.token,
    });
    expect([subjects(rest.body), rest.body.next_cursor]).toEqual([['one'], null]);
    expect((await t.call('GET', url, { key: t.first.agent_key })).status).toBe(403);
    expect((await t.call('GET', url.replace('/mail', '/none'), { key: t.owner.token })).body.data).toEqual(
      [],
    );
  });
});

describe('the names of the mock connectors', () => {
  it('are reserved', () => {
    for (const name of MOCK_CONNECTORS) expect(() => checkName(name)).toThrow('choose another name');
  });
});
