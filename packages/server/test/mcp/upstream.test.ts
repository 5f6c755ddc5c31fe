/** An MCP server behind the gate, as an agent sees it through the gate's own MCP endpoint. */
import { join } from 'node:path';
import type { CallToolResult } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openUpstreamGateway, type UpstreamGateway } from '../gateway/upstream/open-upstream-gateway.ts';
import { REVISIONS, serveMcp, structureOf, type TestMcp, wordsOf } from './open-mcp.ts';

const NOTES = join(import.meta.dirname, '../gateway/upstream/sdk-stdio-server.ts');

let gateway: UpstreamGateway;
let t: TestMcp;
beforeAll(async () => {
  gateway = await openUpstreamGateway();
  await gateway.register({
    kind: 'stdio',
    command: process.execPath,
    args: [NOTES],
    env: {},
    cwd: import.meta.dirname,
  });
  t = await serveMcp(gateway);
});
afterAll(() => t.close());

describe.each(REVISIONS)('a client of %s', (revision) => {
  test('lists the tools under the server’s name, and gets their results unchanged', async () => {
    const client = await t.connect(revision);
    const { tools } = await client.listTools();
    expect(tools.find(({ name }) => name === 'notes.read')).toMatchObject({
      description: 'Reads a note.',
      inputSchema: { required: ['note'] },
    });
    const read = (await client.callTool({ name: 'notes.read', arguments: { note: 'a' } })) as CallToolResult;
    expect(read).toMatchObject({
      content: [{ type: 'text', text: 'note a' }],
      structuredContent: { note: 'a' },
    });
    const lost = (await client.callTool({ name: 'notes.lose', arguments: { note: 'a' } })) as CallToolResult;
    expect(lost.isError).toBe(true);
    expect(wordsOf(lost)).toBe('it is locked');
  });

  test('gets the server’s progress', async () => {
    const client = await t.connect(revision);
    const told: unknown[] = [];
    // The call passes through two official clients. Both drop progress that arrives together with the result.
    for (let calls = 0; calls < 40 && told.length === 0; calls += 1) {
      const read = await client.callTool(
        { name: 'notes.read', arguments: { note: 'a' } },
        { onprogress: (progress) => told.push(progress) },
      );
      expect(read).toMatchObject({ structuredContent: { note: 'a' } });
    }
    expect(told).toEqual([{ progress: 1, total: 2, message: 'opened it' }]);
  });

  test('waits for approval, and then gets the server’s own result', async () => {
    await t.setPolicy([]);
    const client = await t.connect(revision);
    const note = `of ${revision}`;
    const asked = (await client.callTool({ name: 'notes.read', arguments: { note } })) as CallToolResult;
    const { intent_id, connector_request_id } = structureOf(asked);
    await t.approve(intent_id);
    const result = await client.callTool({ name: 'permitry.result', arguments: { connector_request_id } });
    expect(result).toMatchObject({ content: [{ text: `note ${note}` }], structuredContent: { note } });
    await t.setPolicy([{ name: 'all is free', match: { action: '*' }, effect: 'allow' }]);
  });
});
