/** Agents that listen at one gate learn of tools approved at another. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { addUpstream } from '../../src/gate/upstreams/add-upstream.ts';
import { approveTools } from '../../src/gate/upstreams/approve-tools.ts';
import { listUpstreamTools, refreshUpstream } from '../../src/gate/upstreams/read-upstreams.ts';
import { removeUpstream } from '../../src/gate/upstreams/update-upstream.ts';
import { UpstreamServers } from '../../src/gateway/upstream/upstream-servers.ts';
import { openReach } from '../../src/outgoing/notifications/open-reach.ts';
import { Outgoing } from '../../src/outgoing/outgoing.ts';
import { readAddressRanges } from '../../src/outgoing/outgoing-addresses.ts';
import { OPERATOR } from '../fixtures/open-test-gate.ts';
import { openScriptedHttpServer, type ScriptedHttpServer } from '../gateway/upstream/scripted-http-server.ts';
import { REVISIONS } from '../mcp/open-mcp.ts';
import { type Gates, openGates, type Replica } from './open-gates.ts';

/** Long enough to never matter: no test here is about timeouts. */
const LONG_MS = 600_000;

let t: Gates;
let server: ScriptedHttpServer;
const clients: Client[] = [];
beforeEach(async () => {
  server = await openScriptedHttpServer();
  t = await openGates(2, { openOutside });
});
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close();
  await t.close();
  await server.close();
});

function openOutside() {
  const outgoing = new Outgoing({
    allowedPrivate: readAddressRanges('127.0.0.1'),
    connectTimeoutMs: LONG_MS,
  });
  const upstreams = new UpstreamServers({
    outgoing,
    environment: {},
    onErrorLine: () => {},
    pollEveryMs: LONG_MS,
    patience: { connectMs: LONG_MS, requestMs: LONG_MS, listMs: LONG_MS, probeMs: LONG_MS, callMs: LONG_MS },
  });
  return { upstreams, reach: openReach({ configured: false }, outgoing) };
}

/** A client that listens at one gate, with a count of the tool changes it was notified of. */
async function listenAt(replica: Replica, revision: (typeof REVISIONS)[number]) {
  let heard = 0;
  const onChanged = () => {
    heard += 1;
  };
  const client = new Client(
    { name: 'test', version: '1' },
    {
      versionNegotiation: { mode: revision === '2025-11-25' ? 'legacy' : { pin: revision } },
      listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged } },
    },
  );
  const requestInit = { headers: { authorization: `Bearer ${t.first.agent_key}` } };
  await client.connect(
    new StreamableHTTPClientTransport(new URL('/mcp', await replica.listen()), { requestInit }),
  );
  clients.push(client);
  // The 2025 client does not report when its stream is open.
  await expect.poll(() => replica.metrics.render()).toContain('\npermitry_mcp_streams 1\n');
  return {
    heard: () => heard,
    names: async () => (await client.listTools()).tools.map(({ name }) => name),
  };
}

test.each(REVISIONS)(
  'a tool approved at one gate is announced to MCP clients of revision %s at all gates',
  async (revision) => {
    const there = [];
    for (const replica of t.replicas) there.push(await listenAt(replica, revision));
    const settings = { kind: 'http', url: server.url, headers: {} } as const;
    const added = await addUpstream(t.gate, OPERATOR, { projectId: t.projectId, name: 'notes', settings });
    const of = { projectId: t.projectId, upstreamId: added.id };
    await refreshUpstream(t.gate, OPERATOR, of);
    const found = await listUpstreamTools(t.gate, OPERATOR, of);
    for (const { heard, names } of there) {
      expect(await names()).not.toContain('notes.read');
      expect(heard()).toBe(0);
    }

    const tools = found.map(({ name, found: definition }) => ({ name, hash: definition?.hash ?? '' }));
    await approveTools(t.gate, OPERATOR, { ...of, tools });
    for (const { heard, names } of there) {
      await expect.poll(heard).toBe(1);
      expect(await names()).toContain('notes.read');
    }

    await removeUpstream(t.gate, OPERATOR, of);
    for (const { heard, names } of there) {
      await expect.poll(heard).toBe(2);
      expect(await names()).not.toContain('notes.read');
    }
  },
);
