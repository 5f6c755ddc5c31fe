/** Servers that behave, over HTTP: which tools they offer, and how they are called. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { resumeRequest } from '../../../src/gate/tools/resume-request.ts';
import { openUpstreamGateway, type UpstreamGateway } from './open-upstream-gateway.ts';
import { openScriptedHttpServer, READ_TOOL, type ScriptedHttpServer } from './scripted-http-server.ts';
import { registerNotes } from './sdk-notes.ts';

const SECRET = 'Bearer upstream-secret-of-some-length';

let t: UpstreamGateway;
let server: ScriptedHttpServer;

beforeEach(async () => {
  t = await openUpstreamGateway();
  server = await openScriptedHttpServer();
});
afterEach(async () => {
  await server.close();
  await t.close();
});

const register = (headers: Record<string, string> = {}) =>
  t.register({ kind: 'http', url: server.url, headers });
const tools = async () => {
  const { body } = await t.call('GET', '/api/mcp-gateway', { key: t.first.agent_key });
  return (body.tools as { name: string; connector: string }[]).filter(
    ({ connector }) => connector === 'notes',
  );
};
const read = (options = {}) => t.callTool({ tool: 'notes.read', arguments: { note: 'a' } }, options);

describe('an MCP server over HTTP', () => {
  it('offers each tool as it was approved, and runs it when policy allows it', async () => {
    const upstream = await register();
    expect(upstream).toMatchObject({
      error: null,
      server: { name: 'scripted', version: '1', protocol: '2025-11-25' },
    });
    expect(await tools()).toEqual([
      {
        name: 'notes.read',
        title: 'read',
        description: READ_TOOL.description,
        connector: 'notes',
        risk_tier: 'medium',
        input_schema: READ_TOOL.inputSchema,
        output_schema: null,
        annotations: { readOnlyHint: true },
      },
    ]);
    const { status, body } = await read();
    expect([status, body.status]).toEqual([200, 'executed']);
    expect(body.result).toEqual({ content: [{ type: 'text', text: '{"note":"a"}' }] });
    expect(server.count('tools/call')).toBe(1);
    expect(t.upstreams.calls).toMatchObject({ succeeded: 1, failed: 0, unknown: 0 });
  });

  it('gets the headers it was registered with, and nothing of the agent', async () => {
    await register({ authorization: SECRET });
    await read({ headers: { cookie: 'session=agent', 'x-forwarded-for': '10.1.2.3' } });
    const [call] = server.seen.filter(({ method }) => method === 'tools/call');
    expect(call?.headers).toMatchObject({ authorization: SECRET, 'mcp-protocol-version': '2025-11-25' });
    const sent = JSON.stringify(server.seen);
    for (const secret of [t.first.agent_key, 'session=agent', '10.1.2.3', 'x-permitry-call'])
      expect(sent).not.toContain(secret);
  });

  it('cannot pass its secrets to an agent or to the log', async () => {
    const upstream = await register({ authorization: SECRET });
    server.instead.set('tools/call', ({ request, answer }) => {
      answer({ content: [{ type: 'text', text: `I got ${request.headers.authorization}` }] });
    });
    const { body } = await read();
    expect(body.result).toEqual({ content: [{ type: 'text', text: 'I got (secret)' }] });
    const shown = await t.call('GET', `/v1/projects/${t.projectId}/upstreams/${upstream.id}`, {
      key: t.owner.token,
    });
    expect(shown.body).toMatchObject({ secret_names: ['authorization'], target: new URL(server.url).host });
    const everything = [t.log(), shown.text, JSON.stringify(await t.events(t.projectId))].join();
    expect(everything).not.toContain('upstream-secret');
    expect(everything).not.toContain('/mcp"');
  });

  it('cannot return short secrets that mix letters and digits, but short words and numbers stay in its results', async () => {
    await register({ 'x-key': 'k3y-9f2a', 'x-team': 'payments', 'x-year': '20261120' });
    server.instead.set('tools/call', ({ request: { headers }, answer }) => {
      const text = `${headers['x-key']} of ${headers['x-team']} since ${headers['x-year']}`;
      answer({ content: [{ type: 'text', text }] });
    });
    const { body } = await read();
    expect(body.result).toEqual({
      content: [{ type: 'text', text: '(secret) of payments since 20261120' }],
    });
  });

  it('keeps its results and tools valid when a secret occurs in them as a number, as a name or behind an escape', async () => {
    const account = 4111111111111111;
    await register({ 'x-account': String(account), 'x-key': 'n0t-4-word' });
    server.instead.set('tools/call', ({ answer }) => {
      const structuredContent = { account, [`of ${account}`]: 1.5 };
      answer({ content: [{ type: 'text', text: 'a\n0t-4-word n0t-4-word' }], structuredContent });
    });
    const { body } = await read();
    expect(body).toMatchObject({ status: 'executed' });
    expect(body.result).toEqual({
      content: [{ type: 'text', text: 'a\n0t-4-word (secret)' }],
      structuredContent: { account: '(secret)', 'of (secret)': 1.5 },
    });
    expect(server.count('tools/call')).toBe(1);
  });

  it('cannot pass its secrets on in progress messages', async () => {
    await register({ authorization: SECRET });
    const heard = Promise.withResolvers<unknown>();
    server.instead.set('tools/call', async ({ message: { id, params = {} }, request, response }) => {
      response.setHeader('content-type', 'text/event-stream');
      const say = (said: object) =>
        response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', ...said })}\n\n`);
      const { progressToken } = params._meta as { progressToken: number };
      const told = { progressToken, progress: 1, message: `with ${request.headers.authorization}` };
      say({ method: 'notifications/progress', params: told });
      await heard.promise;
      say({ id, result: { content: [] } });
      response.end();
    });
    const [tool] = await t.upstreams.list(t.projectId);
    if (!tool) throw new Error('nothing is offered');
    const result = await t.upstreams.run({
      projectId: t.projectId,
      intentId: 'int_of_a_call',
      requestId: 'crq_of_a_call',
      tool,
      arguments: { note: 'a' },
      signal: new AbortController().signal,
      line: { progress: heard.resolve, log: () => {}, ask: async () => undefined },
    });
    expect(result).toEqual({ kind: 'succeeded', result: { content: [] } });
    expect(await heard.promise).toEqual({ progress: 1, message: 'with (secret)' });
  });

  it('that hangs keeps all callers of an approved call waiting at the same time, not one after another', async () => {
    const upstream = await register();
    await t.setPolicy([]);
    const { body } = await t.callTool({ tool: 'notes.read', arguments: { note: 'a' } });
    await t.approve(body.intent_id);
    const requestId = String(body.connector_request_id);
    t.upstreams.drop(upstream.id);
    const isAsked = Promise.withResolvers<void>();
    server.instead.set('initialize', () => isAsked.resolve());
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const waiting = [1, 2, 3, 4].map(() =>
      resumeRequest(t.gate, t.agent, { requestId, totalWaitMs: 20 }).catch(
        ({ code }: { code: string }) => code,
      ),
    );
    await isAsked.promise;
    // The time of one wait. If the four waited one after another, they would take four times as long.
    await vi.advanceTimersByTimeAsync(6000);
    expect(await Promise.all(waiting)).toEqual(waiting.map(() => 'service_unavailable'));
    vi.useRealTimers();
    expect(await t.events(t.projectId, 'permit.consumed')).toEqual([]);
  });

  it('can get a new call timeout without affecting running calls', async () => {
    const upstream = await register();
    const begun = Promise.withResolvers<void>();
    const end = Promise.withResolvers<void>();
    server.instead.set('tools/call', async ({ answer }) => {
      begun.resolve();
      await end.promise;
      answer({ content: [{ type: 'text', text: 'done' }] });
    });
    const running = read();
    await begun.promise;
    const { status, body } = await t.call('PATCH', `/v1/projects/${t.projectId}/upstreams/${upstream.id}`, {
      key: t.owner.token,
      body: { timeout_seconds: 20 },
    });
    expect([status, body.timeout_seconds]).toEqual([200, 20]);
    end.resolve();
    expect((await running).body).toMatchObject({ status: 'executed' });
    expect(server.count('tools/call')).toBe(1);
  });

  it('cannot pass its secrets on in its own name or its tools', async () => {
    server.tools = [{ ...READ_TOOL, description: `I know: ${SECRET}.` }];
    server.instead.set('initialize', ({ answer }) =>
      answer({
        protocolVersion: '2025-11-25',
        capabilities: { tools: {} },
        serverInfo: { name: SECRET, version: '1' },
      }),
    );
    const upstream = await register({ authorization: SECRET });
    expect(upstream.server?.name).not.toContain('upstream-secret');
    const tools = await t.upstreams.list(t.projectId);
    expect(tools).toMatchObject([{ description: 'I know: (secret).' }]);
  });

  it('gets no call whose arguments do not fit the schema', async () => {
    await register();
    const { status, body } = await t.callTool({ tool: 'notes.read', arguments: { note: 1 } });
    expect(status).toBe(400);
    expect(body.error).toMatchObject({ fields: [{ path: '/arguments/note' }] });
    expect(server.count('tools/call')).toBe(0);
  });

  it('runs its tools only after approval, like any other', async () => {
    await register();
    await t.setPolicy([]);
    const asked = await read();
    expect([asked.status, asked.body.status]).toEqual([202, 'pending']);
    expect(server.count('tools/call')).toBe(0);
    await t.approve(asked.body.intent_id);
    const back = () => t.callTool({ connector_request_id: asked.body.connector_request_id });
    expect((await back()).body).toMatchObject({ status: 'executed' });
    expect((await back()).body).toMatchObject({ status: 'executed' });
    expect(server.count('tools/call')).toBe(1);
  });

  it('can report that a tool failed, which becomes the outcome', async () => {
    await register();
    server.instead.set('tools/call', ({ answer }) =>
      answer({ content: [{ type: 'text', text: 'no disk' }], isError: true }),
    );
    const { body } = await read();
    expect(body).toMatchObject({
      status: 'failed',
      result: { content: [{ type: 'text', text: 'no disk' }], isError: true },
    });
    const [reported] = await t.events(t.projectId, 'outcome.reported');
    expect(reported?.data).toMatchObject({ outcome: 'failed' });
  });

  it('is connected again when its session has ended', async () => {
    await register();
    let refused = 0;
    server.instead.set('tools/list', ({ response }) => {
      if (refused > 0) return false;
      refused += 1;
      return response.writeHead(404).end();
    });
    expect((await read()).body).toMatchObject({ status: 'executed' });
    expect([refused, server.count('initialize')]).toEqual([1, 2]);
  });

  it('is visible only in its project', async () => {
    await register();
    expect((await t.call('GET', `/v1/projects/${t.projectId}/tools`, { key: t.owner.token })).text).toContain(
      'notes.read',
    );
    expect(await t.upstreams.list('prj_other')).toEqual([]);
    expect(await t.upstreams.find('prj_other', 'notes.read')).toBeUndefined();
  });
});

describe('a server made with the official SDK', () => {
  it.each([
    ['both revisions', { legacy: 'stateless' }, '2026-07-28'],
    ['the newer one alone', { legacy: 'reject' }, '2026-07-28'],
  ] as const)('that speaks %s can be called', async (_, options, protocol) => {
    const handler = createMcpHandler(
      () => registerNotes(new McpServer({ name: 'notes', version: '2' })),
      options,
    );
    const serve = toNodeHandler(handler);
    const http = createServer((request, response) => {
      void serve(request as Parameters<typeof serve>[0], response);
    });
    await new Promise<void>((resolve) => {
      http.listen(0, '127.0.0.1', resolve);
    });
    try {
      const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`;
      const upstream = await t.register({ kind: 'http', url, headers: {} });
      expect(upstream.server).toEqual({ name: 'notes', version: '2', protocol });
      const { body } = await read();
      expect(body).toMatchObject({ status: 'executed', result: { structuredContent: { note: 'a' } } });
      const lost = await t.callTool({ tool: 'notes.lose', arguments: { note: 'a' } });
      expect(lost.body).toMatchObject({ status: 'failed', result: { isError: true } });
    } finally {
      await t.upstreams.close();
      await handler.close();
      http.closeAllConnections();
      http.close();
    }
  });
});
