/** No credential keeps more answers waiting than its limit allows, by any route, and others can still wait. */
import type { CallToolResult } from '@modelcontextprotocol/client';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openMcp, structureOf, type TestMcp } from '../mcp/open-mcp.ts';
import { codeOf } from './open-gateway.ts';
import { PendingTools } from './pending-tools.ts';

const ONE_EACH = { perCredential: 1, perProject: 2, inAll: 2 };

let t: TestMcp;
let tools: PendingTools;
beforeEach(async () => {
  tools = new PendingTools();
  t = await openMcp({ outside: { connectors: tools, waiting: { reads: ONE_EACH, calls: ONE_EACH } } });
});
afterEach(() => t.close());

const work = (n: number) => ({ tool: 'lab.work', arguments: { n } });

async function untilWaiting(what: 'reads' | 'calls', count: number): Promise<void> {
  const waiting = what === 'reads' ? t.gate.waitingReads : t.gate.tools.waitingCalls;
  while (waiting.count !== count) await new Promise((resolve) => setTimeout(resolve, 5));
}

it('a second waiting read is refused, but an immediate read and a read by another credential are answered', async () => {
  const { body } = await t.callTool(work(1));
  const path = `/api/intents/${body.intent_id}`;
  const key = t.first.agent_key;
  const waiting = t.call('GET', `${path}?wait=50`, { key });
  await untilWaiting('reads', 1);
  const second = await t.call('GET', `${path}?wait=50`, { key });
  expect(codeOf(second)).toEqual([429, 'RATE_LIMITED']);
  expect(Number(second.headers['retry-after'])).toBeGreaterThan(0);
  expect((await t.call('GET', path, { key })).body.status).toBe('pending');
  const others = t.call('GET', `${path}?wait=50`, { key: t.first.secret_key });
  await untilWaiting('reads', 2);
  // The gate as a whole has reached its limit too.
  expect(codeOf(await t.call('GET', `${path}?wait=50`, { key: t.owner.token }))).toEqual([
    429,
    'RATE_LIMITED',
  ]);
  expect(t.gate.waitingReads.refused).toBe(2);
  await t.approve(body.intent_id);
  expect((await waiting).body.status).toBe('approved');
  expect((await others).body.status).toBe('approved');
  expect(t.gate.waitingReads.count).toBe(0);
});

it('a second call that needs approval is answered as pending, but coming back to wait for it is refused', async () => {
  tools.end();
  const first = await t.callTool(work(1));
  const waiting = t.callTool({ connector_request_id: first.body.connector_request_id }, { wait: 50 });
  await untilWaiting('calls', 1);
  const second = await t.callTool(work(2), { wait: 50 });
  expect([second.status, second.body.status]).toEqual([202, 'pending']);
  const back = { connector_request_id: second.body.connector_request_id };
  expect(codeOf(await t.callTool(back, { wait: 50 }))).toEqual([429, 'RATE_LIMITED']);
  expect(tools.runs).toHaveLength(0);
  expect((await t.callTool(back)).body.status).toBe('pending');
  await t.approve(first.body.intent_id);
  await t.approve(second.body.intent_id);
  expect((await waiting).body.status).toBe('executed');
  expect((await t.callTool(back, { wait: 50 })).body.status).toBe('executed');
  expect(t.gate.tools.waitingCalls.count).toBe(0);
});

it('a second call that runs long is run, but its caller must come back for the result', async () => {
  await t.setPolicy([{ name: 'work is free', match: { action: 'lab.*' }, effect: 'allow' }]);
  const running = t.callTool(work(1));
  await untilWaiting('calls', 1);
  const second = await t.callTool(work(2));
  expect([second.status, second.body.status]).toEqual([202, 'executing']);
  tools.end();
  expect((await running).body.status).toBe('executed');
  const back = await t.callTool({ connector_request_id: second.body.connector_request_id });
  expect(back.body.status).toBe('executed');
  expect(tools.runs).toHaveLength(2);
});

it('over MCP, a second call that needs approval is answered as pending at once', async () => {
  const client = await t.connect('2026-07-28');
  const call = (n: number) =>
    client.callTool(
      { name: 'lab.work', arguments: { n } },
      { onprogress: () => {} },
    ) as Promise<CallToolResult>;
  tools.end();
  const waiting = call(1);
  await untilWaiting('calls', 1);
  const second = structureOf(await call(2));
  expect(second).toMatchObject({ status: 'pending' });
  const { body } = await t.call('GET', '/api/intents?status=pending', { key: t.first.agent_key });
  for (const { id } of body.intents as { id: string }[]) await t.approve(id);
  expect((await waiting)._meta).toMatchObject({ 'permitry/status': 'executed' });
  expect(tools.runs).toHaveLength(1);
});
