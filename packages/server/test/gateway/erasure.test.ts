/** A tool's arguments and results are erased when the texts of the intent or of a person are erased. */
import { afterEach, expect, it } from 'vitest';
import { eraseAged } from '../../src/gate/erasure/erase-aged.ts';
import { eraseIntent } from '../../src/gate/erasure/erase-intent.ts';
import { callTool } from '../../src/gate/tools/call-tool.ts';
import { resumeRequest } from '../../src/gate/tools/resume-request.ts';
import { erasePerson } from '../../src/people/erase-person.ts';
import { MAIL, openGateway, type TestGateway } from './open-gateway.ts';
import { PendingTools } from './pending-tools.ts';

let t: TestGateway;
afterEach(() => t.close());

it('erasing an intent erases the arguments and result of its tool call, but keeps the outcome', async () => {
  t = await openGateway();
  const { body } = await t.callTool({ tool: 'mail.send', arguments: MAIL });
  const intentId = String(body.intent_id);
  await eraseIntent(t.gate, t.operator, { projectId: t.projectId, intentId });
  const answer = await t.callTool({ connector_request_id: body.connector_request_id });
  expect(answer.body).toMatchObject({ status: 'executed', intent_id: intentId, result: null, message: null });
  expect(await t.done('mail')).toMatchObject([{ intent_id: intentId, arguments: {} }]);
  expect(JSON.stringify([answer.body, await t.done('mail'), await t.intent(intentId)])).not.toContain(
    MAIL.to,
  );
});

it('erasing by age erases the arguments and results of tool calls as well', async () => {
  t = await openGateway();
  const { body } = await t.callTool({ tool: 'mail.send', arguments: MAIL });
  t.clock.advance(3 * 24 * 3600);
  await eraseAged(t.gate, null, { projectId: t.projectId, days: 2 });
  const answer = await t.callTool({ connector_request_id: body.connector_request_id });
  expect(answer.body).toMatchObject({ status: 'executed', result: null });
  expect(await t.done('mail')).toMatchObject([{ arguments: {} }]);
});

it('erasing a person erases a result that names them, but not the arguments of that call', async () => {
  const tools = new PendingTools();
  t = await openGateway({ outside: { connectors: tools } });
  await t.setPolicy([{ name: 'work is free', match: { action: 'lab.*' }, effect: 'allow' }]);
  tools.succeed({ found: ['Zoe@Example.org'] });
  const { request } = await callTool(t.gate, t.agent, { tool: 'lab.work', arguments: { n: 1 } });
  await erasePerson(t.gate, t.operator, { projectId: t.projectId, person: 'zoe@example.org' });
  const answer = await resumeRequest(t.gate, t.agent, { requestId: request.id });
  expect(answer).toMatchObject({ kind: 'executed', result: null });
  expect(await t.intent(request.intentId)).toMatchObject({ params: { n: 1 }, outcome: 'succeeded' });
});

it('a result that arrives after its intent was erased is not stored', async () => {
  const tools = new PendingTools();
  t = await openGateway({ outside: { connectors: tools } });
  await t.setPolicy([{ name: 'work is free', match: { action: 'lab.*' }, effect: 'allow' }]);
  const { request } = await callTool(t.gate, t.agent, {
    tool: 'lab.work',
    arguments: { n: 1 },
    totalWaitMs: 20,
  });
  await eraseIntent(t.gate, t.operator, { projectId: t.projectId, intentId: request.intentId });
  tools.succeed({ about: 'zoe@example.org' });
  const answer = await resumeRequest(t.gate, t.agent, { requestId: request.id });
  await t.gate.tools.runs.close(2000);
  expect(await resumeRequest(t.gate, t.agent, { requestId: request.id })).toMatchObject({
    kind: 'executed',
    result: null,
  });
  expect(answer.kind).toBe('executed');
  expect(await t.intent(request.intentId)).toMatchObject({ params: {}, outcome: 'succeeded' });
});
