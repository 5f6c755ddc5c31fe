/** Protected tools through the client, with a real gate and its mock connectors. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type GatewaySettled, type GatewayUnsettled, Permitry } from '../src/index.ts';
import { loseAnswer, openFlawedWay } from './fixtures/open-flawed-way.ts';
import { type ServedGate, serveGate } from './fixtures/serve-gate.ts';

let served: ServedGate;
let agent: Permitry;
let owner: Permitry;
beforeAll(async () => {
  served = await serveGate({ rules: [{ name: 'mail', match: { action: 'mail.send' }, effect: 'allow' }] });
  agent = new Permitry({ baseUrl: served.url, apiKey: served.first.agent_key });
  owner = new Permitry({ baseUrl: served.url, apiKey: served.first.secret_key });
});
afterAll(() => served.close());

const MAIL = { to: 'ann@example.org', subject: 'Hello', text: 'It is done.' };
const REFUND = { charge: 'ch_4711', amount: 120.5, currency: 'EUR' };

it('tools are listed with the schema of their arguments', async () => {
  const tools = await agent.gateway.tools();
  expect(tools.map(({ name }) => name)).toContain('payments.refund');
  expect(tools.find(({ name }) => name === 'mail.send')?.input_schema).toMatchObject({ type: 'object' });
});

it('a tool that policy allows runs at once', async () => {
  const answer = await agent.gateway.call({ tool: 'mail.send', arguments: MAIL });
  expect(answer).toMatchObject({ status: 'executed' });
  expect((answer as GatewaySettled).receipt_v2?.approved_by).toBe('policy:mail');
});

it('a tool that needs approval runs once, however often its call is resumed', async () => {
  const pending = await agent.gateway.call({ tool: 'payments.refund', arguments: REFUND });
  const { intent_id, connector_request_id, approval_url } = pending as GatewayUnsettled;
  expect(pending.status).toBe('pending');
  expect(approval_url).toBe(`${served.url}/approve/${intent_id}`);
  const resuming = agent.gateway.resume(connector_request_id, { waitMs: 30_000 });
  await owner.intents.approve(intent_id);
  const done = await resuming;
  expect(done).toMatchObject({ status: 'executed', intent_id });
  expect(await agent.gateway.resume(connector_request_id)).toEqual(done);
});

it('a call repeated under its key after a lost answer gets the answer, and the tool runs once', async () => {
  const way = await openFlawedWay(served.url);
  const unlucky = new Permitry({ baseUrl: way.url, apiKey: served.first.agent_key });
  way.next('POST /api/mcp-gateway', loseAnswer);
  const call = { tool: 'mail.send', arguments: { ...MAIL, subject: 'Once' } };
  const lost = await unlucky.gateway.call(call).catch((error: unknown) => error);
  const { idempotencyKey } = lost as { idempotencyKey: string };
  expect(await unlucky.gateway.call(call, { idempotencyKey })).toMatchObject({ status: 'executed' });
  const { data } = await owner.request<{ data: { arguments: { subject: string } }[] }>(
    'GET',
    `/v1/projects/${served.projectId}/mock-connectors/mail`,
  );
  expect(data.filter((record) => record.arguments.subject === 'Once')).toHaveLength(1);
  await way.close();
});

it('a refused tool call has the same error codes as other calls', async () => {
  const wrong = agent.gateway.call({ tool: 'mail.send', arguments: { to: 7 } });
  await expect(wrong).rejects.toMatchObject({ code: 'invalid_request', status: 400 });
  await expect(wrong.catch((error) => error.fields[0].path)).resolves.toMatch(/^\/arguments/);
  const unknown = agent.gateway.call({ tool: 'no.such', arguments: {} });
  await expect(unknown).rejects.toMatchObject({ code: 'not_found', status: 404 });
  const lost = agent.gateway.resume('crq_nothing');
  await expect(lost).rejects.toMatchObject({ status: 404 });
  await expect(agent.gateway.resume('crq_1', { waitMs: 61_000 })).rejects.toBeInstanceOf(TypeError);
});
