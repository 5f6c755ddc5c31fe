/** Clients of the SDK's first major version, which is still the most common. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { MAIL, REFUND } from '../gateway/open-gateway.ts';
import { openMcp, type TestMcp } from './open-mcp.ts';

let t: TestMcp;
beforeAll(async () => {
  t = await openMcp();
});
afterAll(() => t.close());

async function connect(
  capabilities: object,
  onUrl?: (url: string) => Promise<void>,
  url = t.url,
): Promise<Client> {
  const client = new Client({ name: 'first', version: '1' }, { capabilities });
  if (onUrl) {
    client.setRequestHandler(ElicitRequestSchema, async ({ params }) => {
      if ('url' in params) await onUrl(String(params.url));
      return { action: 'accept' };
    });
  }
  const requestInit = { headers: { authorization: `Bearer ${t.first.agent_key}` } };
  const transport = new StreamableHTTPClientTransport(url, { requestInit });
  await client.connect(transport as Parameters<Client['connect']>[0]);
  return client;
}

test('a client of SDK version 1 lists and calls tools, and fetches the result of a pending call', async () => {
  const client = await connect({});
  expect((await client.listTools()).tools.map(({ name }) => name)).toContain('payments.refund');
  const sent = await client.callTool({ name: 'mail.send', arguments: MAIL });
  expect(sent).toMatchObject({ structuredContent: { accepted: [MAIL.to] } });
  const asked = await client.callTool({ name: 'payments.refund', arguments: REFUND });
  const { connector_request_id, intent_id, status } = asked.structuredContent as Record<string, string>;
  expect(status).toBe('pending');
  await t.approve(intent_id);
  const result = await client.callTool({ name: 'permitry.result', arguments: { connector_request_id } });
  expect(result.structuredContent).toMatchObject({ status: 'refunded' });
  await expect(client.callTool({ name: 'no.such.tool', arguments: {} })).rejects.toMatchObject({
    code: -32602,
  });
  await client.close();
});

test('a client of SDK version 1 is sent to the approval page in the stream of its call', async () => {
  const client = await connect({ elicitation: { url: {} } }, (url) => t.approve(url.split('/').at(-1)));
  const result = await client.callTool({
    name: 'payments.refund',
    arguments: { ...REFUND, charge: 'ch_first' },
  });
  expect(result.structuredContent).toMatchObject({ status: 'refunded', charge: 'ch_first' });
  await client.close();
});

test('a client of SDK version 1 can use plain tool names, for models that accept no others', async () => {
  const client = await connect({}, undefined, new URL('?tool_names=plain', t.url));
  const { tools } = await client.listTools();
  for (const { name } of tools) expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
  const sent = await client.callTool({ name: 'mail_send', arguments: MAIL });
  expect(sent).toMatchObject({ structuredContent: { accepted: [MAIL.to] } });
  const asked = await client.callTool({
    name: 'payments_refund',
    arguments: { ...REFUND, charge: 'ch_plain' },
  });
  expect(JSON.stringify(asked.content)).toMatch(/call permitry_result .*Calling payments_refund with/);
  const unknown = await client.callTool({
    name: 'permitry_result',
    arguments: { connector_request_id: 'crq_none' },
  });
  expect(unknown).toMatchObject({ isError: true, structuredContent: { error: { code: 'not_found' } } });
  await expect(client.callTool({ name: 'no_such', arguments: {} })).rejects.toMatchObject({ code: -32602 });
  await client.close();
});
