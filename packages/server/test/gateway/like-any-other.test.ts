/** Tool calls are intents like any other for approvers, for webhooks and in the audit log. */
import { afterEach, expect, it } from 'vitest';
import { callTool } from '../../src/gate/tools/call-tool.ts';
import { resumeRequest } from '../../src/gate/tools/resume-request.ts';
import { approveInPerson } from '../fixtures/approve-in-person.ts';
import { openWebhooks } from '../webhooks/open-webhooks.ts';
import { MAIL, openGateway, REFUND } from './open-gateway.ts';

const cleanUp: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of cleanUp.splice(0)) await close();
});

it('tool calls are in the inbox of people who may decide them', async () => {
  const t = await openGateway();
  cleanUp.push(t.close);
  const { body } = await t.callTool({ tool: 'payments.refund', arguments: REFUND });
  const inbox = await t.call('GET', '/console/inbox', { key: t.owner.token });
  expect(JSON.stringify(inbox.body)).toContain(String(body.intent_id));
  expect(inbox.text).toContain('payments.refund');
});

it('webhooks receive every step of a tool call, without its arguments and result', async () => {
  const t = await openWebhooks();
  cleanUp.push(() => t.close());
  await t.hook('/all', { eventTypes: null });
  await t.send();
  t.endpoint.received.splice(0);
  const { request, intent } = await callTool(t.gate, t.agent, { tool: 'payments.refund', arguments: REFUND });
  const approver = await t.addPerson('ann@example.org', 'approver');
  await approveInPerson(t.gate, approver.userId, intent.intent.id);
  await resumeRequest(t.gate, t.agent, { requestId: request.id });
  for (let round = 0; round < 8; round += 1) await t.send();
  const ofIntent = t.endpoint
    .at('/all')
    .map(({ body }) => body)
    .filter((body) => JSON.stringify(body).includes(intent.intent.id));
  expect(ofIntent.map(({ type }) => type)).toEqual([
    'intent.created',
    'approval.recorded',
    'intent.approved',
    'permit.issued',
    'permit.consumed',
    'outcome.reported',
  ]);
  expect(JSON.stringify(ofIntent)).not.toMatch(/ch_1|120\.5|re_int/);
});

it('a tool call that runs at once leaves the same events in the audit log as an approved one', async () => {
  const t = await openGateway();
  cleanUp.push(t.close);
  const { body } = await t.callTool({ tool: 'mail.send', arguments: MAIL });
  const events = await t.events(t.projectId);
  const ofIntent = events.filter(({ intentId }) => intentId === body.intent_id);
  expect(ofIntent.map(({ type, actor }) => [type, actor.type])).toEqual([
    ['intent.created', 'agent'],
    ['intent.approved', 'policy'],
    ['permit.issued', 'policy'],
    ['permit.consumed', 'agent'],
    ['outcome.reported', 'agent'],
  ]);
  expect(ofIntent.at(-1)?.data).toEqual({
    outcome: 'succeeded',
    detail: null,
    connector_request_id: body.connector_request_id,
  });
});
