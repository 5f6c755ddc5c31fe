/** Clients are notified of tool changes, and of nothing else, while their key is valid. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { addUpstream } from '../../src/gate/upstreams/add-upstream.ts';
import { removeUpstream, updateUpstream } from '../../src/gate/upstreams/update-upstream.ts';
import { Metrics } from '../../src/ops/metrics/metrics.ts';
import { createKey } from '../../src/people/keys/create-key.ts';
import { addMember } from '../../src/people/members/add-member.ts';
import { changeRole } from '../../src/people/members/change-role.ts';
import { OPERATOR } from '../fixtures/open-test-gate.ts';
import { openUpstreamGateway, type UpstreamGateway } from '../gateway/upstream/open-upstream-gateway.ts';
import {
  openScriptedHttpServer,
  READ_TOOL,
  type ScriptedHttpServer,
} from '../gateway/upstream/scripted-http-server.ts';
import { REVISIONS, serveMcp, type TestMcp } from './open-mcp.ts';

let metrics: Metrics;
let gateway: UpstreamGateway;
let server: ScriptedHttpServer;
let t: TestMcp;
const clients: Client[] = [];
const cuts: AbortController[] = [];

beforeEach(async () => {
  metrics = new Metrics();
  gateway = await openUpstreamGateway({ metrics });
  server = await openScriptedHttpServer();
  t = await serveMcp(gateway);
});
afterEach(async () => {
  for (const cut of cuts.splice(0)) cut.abort();
  for (const client of clients.splice(0)) await client.close();
  // Stops clients from reconnecting and keeping connections open.
  t.app.server.closeAllConnections();
  await t.close();
  await server.close();
});

/** A client that listens, with the number of change notifications that it received. */
async function listen(
  revision: (typeof REVISIONS)[number],
): Promise<{ client: Client; heard: () => number }> {
  let heard = 0;
  const client = new Client(
    { name: 'test', version: '1' },
    {
      versionNegotiation: { mode: revision === '2025-11-25' ? 'legacy' : { pin: revision } },
      listChanged: {
        tools: {
          autoRefresh: false,
          debounceMs: 0,
          onChanged: () => {
            heard += 1;
          },
        },
      },
    },
  );
  const requestInit = { headers: { authorization: `Bearer ${t.first.agent_key}` } };
  await client.connect(new StreamableHTTPClientTransport(t.url, { requestInit }));
  clients.push(client);
  // The 2025 client does not report when its stream is open.
  await expect.poll(streams).toBe(1);
  return { client, heard: () => heard };
}

async function streams(): Promise<number> {
  const text = await metrics.render();
  return Number(/^permitry_mcp_streams (\d+)$/m.exec(text)?.[1]);
}

/** A 2025 stream, opened without the SDK. */
async function open(headers: Record<string, string> = {}): Promise<Response> {
  const cut = new AbortController();
  cuts.push(cut);
  return fetch(t.url, {
    headers: { accept: 'text/event-stream', authorization: `Bearer ${t.first.agent_key}`, ...headers },
    signal: cut.signal,
  });
}

const register = () => gateway.register({ kind: 'http', url: server.url, headers: {} });

describe.each(REVISIONS)('a client of %s', (revision) => {
  test('is notified when a tool is approved, changes, comes back, and is removed with its server', async () => {
    const { client, heard } = await listen(revision);
    expect(client.getServerCapabilities()?.tools).toEqual({ listChanged: true });
    const upstream = await register();
    await expect.poll(heard).toBe(1);
    const names = async () => (await client.listTools()).tools.map(({ name }) => name);
    expect(await names()).toContain('notes.read');

    server.tools = [{ ...READ_TOOL, description: 'Reads every note there is.' }];
    await gateway.refresh(upstream);
    await expect.poll(heard).toBe(2);
    expect(await names()).not.toContain('notes.read');

    await gateway.approveFound(upstream, 'read');
    await expect.poll(heard).toBe(3);
    const of = { projectId: t.projectId, upstreamId: upstream.id };
    await updateUpstream(t.gate, OPERATOR, { ...of, riskTier: 'critical' });
    await expect.poll(heard).toBe(4);
    await removeUpstream(t.gate, OPERATOR, of);
    await expect.poll(heard).toBe(5);
    expect(await names()).not.toContain('notes.read');
  });

  test('gets no notification for anything but tool changes', async () => {
    const { client, heard } = await listen(revision);
    await client.callTool({ name: 'mail.send', arguments: { to: 'a@example.org', subject: 's', text: 't' } });
    await t.setPolicy([]);
    const settings = { kind: 'http', url: server.url, headers: {} } as const;
    const upstream = await addUpstream(t.gate, OPERATOR, { projectId: t.projectId, name: 'notes', settings });
    // The gate finds the tool, but does not offer it yet.
    await gateway.refresh(upstream);
    await t.gate.ledger.sealNow(t.projectId);
    expect(heard()).toBe(0);
    await gateway.approveFound(upstream, 'read');
    await expect.poll(heard).toBe(1);
  });

  test('gets no notification once its key is revoked, and its stream ends', async () => {
    const { heard } = await listen(revision);
    await t.call('POST', `/v1/projects/${t.projectId}/agents/${t.first.agent_id}/revoke`, {
      key: t.owner.token,
    });
    await register();
    await expect.poll(streams).toBe(0);
    expect(heard()).toBe(0);
  });
});

describe('the 2025 stream', () => {
  test('ends without a notification when the owner of its key loses the right to call tools', async () => {
    const { gate, projectId } = t;
    const ann = await addMember(gate, OPERATOR, { projectId, email: 'ann@example.org', role: 'admin' });
    const made = await createKey(gate, OPERATOR, {
      projectId,
      kind: 'secret',
      name: 'service',
      ownerEmail: ann.email,
    });
    const stands = await open({ authorization: `Bearer ${made.key}` });
    expect(stands.status).toBe(200);
    await changeRole(gate, OPERATOR, { projectId, userId: ann.userId, role: 'viewer' });
    expect((await open({ authorization: `Bearer ${made.key}` })).status).toBe(403);
    await register();
    expect(await stands.text()).not.toContain('list_changed');
    await expect.poll(streams).toBe(0);
  });

  test('needs a key, a client that accepts streams, and a session of that key', async () => {
    expect((await open({ authorization: '' })).status).toBe(401);
    expect((await open({ accept: 'application/json' })).status).toBe(405);
    expect((await open({ 'mcp-protocol-version': '2026-07-28' })).status).toBe(405);
    expect((await open({ 'mcp-session-id': 'made-up' })).status).toBe(404);
    expect((await open({ origin: 'https://elsewhere.example' })).status).toBe(403);
    expect(await streams()).toBe(0);
    const stands = await open();
    expect(stands.status).toBe(200);
    expect(stands.headers.get('content-type')).toMatch(/^text\/event-stream/);
    expect(await streams()).toBe(1);
    cuts.at(-1)?.abort();
    await expect.poll(streams).toBe(0);
  });

  test('is limited per key, and the calls of that key continue', async () => {
    const opened = await Promise.all(Array.from({ length: 50 }, () => open()));
    expect(opened.map(({ status }) => status)).toEqual(Array.from({ length: 50 }, () => 200));
    expect((await open()).status).toBe(405);
    const asked = await t.post(
      {
        jsonrpc: '2.0',
        id: 1,
        method: 'subscriptions/listen',
        params: {
          notifications: { toolsListChanged: true },
          _meta: {
            'io.modelcontextprotocol/protocolVersion': '2026-07-28',
            'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
            'io.modelcontextprotocol/clientCapabilities': {},
          },
        },
      },
      { headers: { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'subscriptions/listen' } },
    );
    expect(asked.body).toMatchObject({ error: { code: -32603 } });
    const client = await t.connect('2026-07-28');
    expect((await client.listTools()).tools.length).toBeGreaterThan(5);
    cuts[0]?.abort();
    await expect.poll(streams).toBe(49);
    expect((await open()).status).toBe(200);
  });

  test('ends when its gate closes', async () => {
    const stands = await open();
    const read = stands.text();
    await t.app.close();
    expect(await read).not.toContain('list_changed');
  });
});
