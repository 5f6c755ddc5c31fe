/** Registering, changing, approving and removing MCP servers over surface B. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { addUpstream } from '../../../src/gate/upstreams/add-upstream.ts';
import { approveTools } from '../../../src/gate/upstreams/approve-tools.ts';
import { removeUpstream, updateUpstream } from '../../../src/gate/upstreams/update-upstream.ts';
import { NO_UPSTREAM_CLIENT } from '../../../src/gate/upstreams/upstream-client.ts';
import { OPERATOR } from '../../fixtures/open-test-gate.ts';
import { signedIn } from '../../fixtures/signed-in.ts';
import { openUpstreamGateway, type UpstreamGateway } from './open-upstream-gateway.ts';
import { openScriptedHttpServer, READ_TOOL, type ScriptedHttpServer } from './scripted-http-server.ts';

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

const path = () => `/v1/projects/${t.projectId}/upstreams`;
const ask = (method: string, url = '', body?: object, key = t.owner.token) =>
  t.call(method, `${path()}${url}`, { key, ...(body === undefined ? {} : { body }) });
const create = (changes: object = {}) => ask('POST', '', { name: 'notes', url: server.url, ...changes });
const toolsOf = async (id: unknown) =>
  (await ask('GET', `/${id}/tools`)).body.data as Record<string, unknown>[];
const found = async (id: unknown) => (await toolsOf(id))[0]?.found as { hash: string };

describe('an MCP server', () => {
  it('is registered, checked, approved, read and removed', async () => {
    const made = await create({
      headers: { Authorization: 'Bearer secret-of-upstream' },
      risk_tier: 'low',
      timeout_seconds: 30,
    });
    expect(made.status).toBe(201);
    const { id } = made.body;
    expect(made.body).toEqual({
      id: expect.stringMatching(/^ups_/),
      name: 'notes',
      kind: 'http',
      target: new URL(server.url).host,
      secret_names: ['Authorization'],
      risk_tier: 'low',
      timeout_seconds: 30,
      server: null,
      looked_at: null,
      failing_since: null,
      error: null,
      created_at: t.clock.now(),
      updated_at: t.clock.now(),
    });
    expect(server.seen).toEqual([]);
    expect((await ask('POST', `/${id}/refresh`)).body).toMatchObject({
      error: null,
      looked_at: t.clock.now(),
    });
    expect(await toolsOf(id)).toMatchObject([
      {
        name: 'read',
        action: 'notes.read',
        state: 'new',
        risk_tier: 'low',
        pinned: null,
        found: { content: READ_TOOL },
      },
    ]);
    const { hash } = await found(id);
    const approved = await ask('POST', `/${id}/tools/approve`, {
      tools: [{ name: 'read', hash, risk_tier: 'critical' }],
    });
    expect(approved.body.data).toMatchObject([
      { state: 'approved', risk_tier: 'critical', risk_tier_set: 'critical', pinned: { hash } },
    ]);
    const { body: offered } = await t.call('GET', `/v1/projects/${t.projectId}/tools`, {
      key: t.owner.token,
    });
    expect(offered.data).toEqual(
      expect.arrayContaining([expect.objectContaining({ name: 'notes.read', risk_tier: 'critical' })]),
    );
    expect((await ask('GET')).body.data).toHaveLength(1);
    expect((await ask('DELETE', `/${id}`)).status).toBe(204);
    expect((await ask('GET', `/${id}`)).status).toBe(404);
    expect((await ask('DELETE', `/${id}`)).status).toBe(404);
    const events = (await t.events(t.projectId)).filter(({ type }) => type.startsWith('upstream.'));
    expect(events.map(({ type }) => type)).toEqual([
      'upstream.added',
      'upstream.tools_found',
      'upstream.tools_approved',
      'upstream.removed',
    ]);
    expect(JSON.stringify(events)).not.toMatch(/secret-of-upstream|\/mcp/);
    const rows = await t.gate.storage.read.listOfferedTools(t.projectId);
    expect(rows).toEqual([]);
  });

  it('is registered once per Idempotency-Key', async () => {
    const body = { name: 'notes', url: server.url, headers: { 'x-key': 'secret-of-upstream' } };
    const make = () =>
      t.call('POST', path(), { key: t.owner.token, body, headers: { 'idempotency-key': 'one' } });
    const [first, second] = [await make(), await make()];
    expect(second.body).toEqual(first.body);
    expect(second.headers['idempotency-replayed']).toBe('true');
    expect((await ask('GET')).body.data).toHaveLength(1);
  });

  it.each<[string, object, string]>([
    ['a name of the gate’s own tools', { name: 'mail' }, '/name'],
    ['a private address', { url: 'https://192.168.1.1/' }, '/url'],
    ['a metadata service', { url: 'http://169.254.169.254/' }, '/url'],
    ['an address in clear text', { url: 'http://tools.example/' }, '/url'],
    ['a password in the address', { url: 'https://a:b@tools.example/' }, '/url'],
    ['a header of the protocol', { headers: { 'Mcp-Session-Id': 'x' } }, '/headers/Mcp-Session-Id'],
    ['a header that controls the transport', { headers: { host: 'internal' } }, '/headers/host'],
    ['a header that contains two', { headers: { 'x-key': 'a\r\nx-other: b' } }, '/headers/x-key'],
    ['a header twice', { headers: { 'X-Key': 'a', 'x-key': 'b' } }, '/headers'],
  ])('is refused with %s', async (_, changes, field) => {
    const { status, body } = await create(changes);
    expect(status).toBe(400);
    expect((body.error as { fields: { path: string }[] }).fields.map((one) => one.path)).toEqual([field]);
    expect((await ask('GET')).body.data).toEqual([]);
    expect(await t.events(t.projectId, 'upstream.added')).toEqual([]);
  });

  it('is refused under a name that is taken, and when there are too many', async () => {
    await create();
    expect((await create()).status).toBe(409);
    for (let index = 1; index < 20; index += 1) await create({ name: `notes-${index}` });
    expect((await create({ name: 'one-more' })).status).toBe(409);
    expect((await ask('GET', '?limit=200')).body.data).toHaveLength(20);
  });

  it('keeps what a change leaves out, and needs new approvals for its tools at a new address', async () => {
    const other = await openScriptedHttpServer();
    const { id } = (await create({ headers: { authorization: 'Bearer first-secret', 'x-team': 'blue' } }))
      .body;
    await ask('POST', `/${id}/refresh`);
    await ask('POST', `/${id}/tools/approve`, { tools: [{ name: 'read', hash: (await found(id)).hash }] });

    const changed = await ask('PATCH', `/${id}`, {
      headers: { Authorization: 'Bearer second-secret' },
      risk_tier: 'high',
    });
    expect(changed.body).toMatchObject({ secret_names: ['Authorization', 'x-team'], risk_tier: 'high' });
    expect(await toolsOf(id)).toMatchObject([{ state: 'approved', risk_tier: 'high' }]);
    await ask('POST', `/${id}/refresh`);
    expect(server.seen.at(-1)?.headers).toMatchObject({
      authorization: 'Bearer second-secret',
      'x-team': 'blue',
    });

    expect((await ask('PATCH', `/${id}`, { headers: { 'x-team': null } })).body.secret_names).toEqual([
      'Authorization',
    ]);

    const moved = await ask('PATCH', `/${id}`, { url: other.url });
    expect(moved.body).toMatchObject({ secret_names: [], target: new URL(other.url).host });
    expect(await toolsOf(id)).toMatchObject([{ state: 'changed' }]);
    await ask('POST', `/${id}/refresh`);
    expect(JSON.stringify(other.seen)).not.toContain('secret');
    expect(await toolsOf(id)).toMatchObject([{ state: 'changed' }]);
    expect((await t.callTool({ tool: 'notes.read', arguments: { note: 'a' } })).status).toBe(404);
    await other.close();
  });

  it('can change its risk without interrupting running calls', async () => {
    const upstream = await t.register({ kind: 'http', url: server.url, headers: {} });
    const answers: (() => void)[] = [];
    server.instead.set('tools/call', ({ answer }) => {
      answers.push(() => answer({ content: [] }));
    });
    const running = t.callTool({ tool: 'notes.read', arguments: { note: 'a' } });
    await expect.poll(() => answers.length).toBe(1);
    expect((await ask('PATCH', `/${upstream.id}`, { risk_tier: 'critical' })).status).toBe(200);
    for (const answer of answers) answer();
    expect((await running).body).toMatchObject({ status: 'executed' });
  });

  it('that is a command has no address to change', async () => {
    const settings = {
      kind: 'stdio',
      command: '/bin/false',
      args: [],
      env: { TOKEN: 'secret-of-command' },
      cwd: '/',
    } as const;
    const { id } = await addUpstream(t.gate, OPERATOR, { projectId: t.projectId, name: 'cmd', settings });
    expect((await ask('GET', `/${id}`)).body).toMatchObject({
      kind: 'stdio',
      target: 'false',
      secret_names: ['TOKEN'],
    });
    expect((await ask('PATCH', `/${id}`, { url: server.url })).status).toBe(400);
    expect((await ask('PATCH', `/${id}`, { timeout_seconds: 20 })).body).toMatchObject({
      timeout_seconds: 20,
    });
  });

  it('that was changed at another gate is not called with its old settings', async () => {
    const upstream = await t.register({ kind: 'http', url: server.url, headers: {} });
    const elsewhere = { ...t.gate, upstreamClient: NO_UPSTREAM_CLIENT };
    const change = { projectId: t.projectId, upstreamId: upstream.id, headers: { 'x-team': 'blue' } };
    const changed = await updateUpstream(elsewhere, OPERATOR, change);
    expect(await t.upstreams.poll(upstream)).toEqual({
      kind: 'failed',
      error: 'It was changed or removed just now.',
    });
    expect(t.upstreams.openConnections).toBe(0);
    expect(await t.upstreams.poll(changed)).toMatchObject({ kind: 'seen' });
    await removeUpstream(elsewhere, OPERATOR, change);
    expect(await t.upstreams.poll(changed)).toMatchObject({ kind: 'failed' });
    expect(t.upstreams.openConnections).toBe(0);
  });

  it('can be changed only by a person who is present', async () => {
    const { id } = (await create()).body;
    const admin = await t.addPerson('admin@example.org', 'admin');
    const { headers } = await signedIn(t.gate, admin.userId);
    t.clock.advance(16 * 60);
    const changes = [
      ['DELETE', `/${id}`, undefined],
      ['PATCH', `/${id}`, { risk_tier: 'low' }],
      ['POST', '', { name: 'other', url: server.url }],
      ['POST', `/${id}/tools/approve`, { tools: [{ name: 'read', hash: 'sha256:0' }] }],
      ['POST', `/${id}/tools/withdraw`, { tools: ['read'] }],
    ] as const;
    for (const [method, url, body] of changes) {
      const answer = await t.call(method, path() + url, { headers, ...(body ? { body } : {}) });
      expect(answer).toMatchObject({ status: 403, body: { error: { code: 'proof_required' } } });
    }
    expect((await ask('GET')).body.data).toMatchObject([{ risk_tier: 'medium', name: 'notes' }]);
  });

  it('can be read by viewers, but not changed by them', async () => {
    const { id } = (await create()).body;
    const viewer = await t.addPerson('viewer@example.org', 'viewer');
    expect((await ask('GET', `/${id}`, undefined, viewer.token)).status).toBe(200);
    expect((await ask('DELETE', `/${id}`, undefined, viewer.token)).status).toBe(403);
    expect((await ask('POST', `/${id}/refresh`, undefined, viewer.token)).status).toBe(403);
    expect((await ask('GET', '', undefined, t.first.agent_key)).status).toBe(403);
    expect(server.seen).toEqual([]);
  });
});

describe('a tool', () => {
  const approve = (id: unknown, ...tools: object[]) => ask('POST', `/${id}/tools/approve`, { tools });

  it('is approved exactly as it was reviewed, or not at all', async () => {
    server.tools = [READ_TOOL, { ...READ_TOOL, name: 'write' }];
    const { id } = (await create()).body;
    await ask('POST', `/${id}/refresh`);
    const [read, write] = (await toolsOf(id)).map(({ found: one }) => (one as { hash: string }).hash);
    server.tools = [READ_TOOL, { ...READ_TOOL, name: 'write', description: 'Another.' }];
    await ask('POST', `/${id}/refresh`);
    const both = [
      { name: 'read', hash: read },
      { name: 'write', hash: write },
    ];
    expect((await approve(id, ...both)).status).toBe(409);
    expect((await toolsOf(id)).map(({ state }) => state)).toEqual(['new', 'new']);
    expect((await approve(id, { name: 'none', hash: read })).status).toBe(400);
    expect(await t.events(t.projectId, 'upstream.tools_approved')).toEqual([]);
    expect((await approve(id, { name: 'read', hash: read })).status).toBe(200);
    expect((await toolsOf(id)).map(({ state }) => state)).toEqual(['approved', 'new']);
  });

  it('can be disabled by anyone who may approve it', async () => {
    const { id } = (await create()).body;
    await ask('POST', `/${id}/refresh`);
    await approve(id, { name: 'read', hash: (await found(id)).hash });
    expect((await ask('POST', `/${id}/tools/withdraw`, { tools: ['read'] })).status).toBe(204);
    expect(await toolsOf(id)).toMatchObject([{ state: 'new', pinned: null, approved_at: null }]);
    expect((await t.callTool({ tool: 'notes.read', arguments: { note: 'a' } })).status).toBe(404);
    expect(await t.events(t.projectId, 'upstream.tools_withdrawn')).toHaveLength(1);
  });

  it('that was disabled needs a new review, also of its risk', async () => {
    const { id } = (await create()).body;
    await ask('POST', `/${id}/refresh`);
    await approve(id, { name: 'read', hash: (await found(id)).hash, risk_tier: 'low' });
    expect(await toolsOf(id)).toMatchObject([{ risk_tier: 'low' }]);
    await ask('POST', `/${id}/tools/withdraw`, { tools: ['read'] });
    server.tools = [{ ...READ_TOOL, annotations: { destructiveHint: true } }];
    await ask('POST', `/${id}/refresh`);
    expect(await toolsOf(id)).toMatchObject([{ state: 'new', risk_tier: 'high', risk_tier_set: null }]);
  });

  it('gets no lower risk from what its server says', async () => {
    server.tools = [
      { ...READ_TOOL, name: 'kind', annotations: { readOnlyHint: true, destructiveHint: false } },
      { ...READ_TOOL, name: 'rude', annotations: { destructiveHint: true } },
    ];
    const { id } = (await create()).body;
    await ask('POST', `/${id}/refresh`);
    expect((await toolsOf(id)).map(({ name, risk_tier }) => [name, risk_tier])).toEqual([
      ['kind', 'medium'],
      ['rude', 'high'],
    ]);
    await ask('PATCH', `/${id}`, { risk_tier: 'critical' });
    expect((await toolsOf(id)).map(({ risk_tier }) => risk_tier)).toEqual(['critical', 'critical']);
  });
});

describe('schemas that were made slow to compile', () => {
  const heavy = (name: string, members: number) => ({
    name,
    inputSchema: {
      type: 'object',
      properties: Object.fromEntries(Array.from({ length: members }, (_, n) => [`m${n}`, { minLength: 1 }])),
    },
  });
  const seen = async () => {
    const { id } = (await create()).body;
    await ask('POST', `/${id}/refresh`);
    const tools = (await toolsOf(id)).map(({ name, found: one }) => ({
      name: name as string,
      hash: (one as { hash: string }).hash,
    }));
    return { id, tools };
  };
  const states = async (id: unknown) => (await toolsOf(id)).map(({ state }) => state);

  it('are approved a few at a time, but not many at once', async () => {
    server.tools = Array.from({ length: 5 }, (_, n) => heavy(`heavy-${n}`, 900));
    const { id, tools } = await seen();
    const refused = await ask('POST', `/${id}/tools/approve`, { tools });
    expect(refused).toMatchObject({
      status: 400,
      body: { error: { fields: [{ path: '/tools', message: expect.stringContaining('approve fewer') }] } },
    });
    expect(await states(id)).toEqual(['new', 'new', 'new', 'new', 'new']);
    expect(await t.events(t.projectId, 'upstream.tools_approved')).toEqual([]);
    const few = await ask('POST', `/${id}/tools/approve`, { tools: tools.slice(0, 2) });
    expect(few.status).toBe(200);
    expect(await states(id)).toEqual(['approved', 'approved', 'new', 'new', 'new']);
  });

  it('are checked one per turn of the event loop, so that other requests are answered in between', async () => {
    server.tools = Array.from({ length: 40 }, (_, n) => heavy(`tool-${n}`, 10));
    const { id, tools } = await seen();
    const approved = approveTools(t.gate, OPERATOR, {
      projectId: t.projectId,
      upstreamId: id as string,
      tools,
    });
    let turns = 0;
    const count = () => {
      turns += 1;
      next = setImmediate(count);
    };
    let next = setImmediate(count);
    expect(await approved).toHaveLength(40);
    clearImmediate(next);
    expect(turns).toBeGreaterThanOrEqual(40);
  });

  it('are not approved if a single one takes too long', async () => {
    server.tools = [heavy('fine', 10), heavy('endless', 2000)];
    const { id, tools } = await seen();
    const refused = await ask('POST', `/${id}/tools/approve`, { tools });
    expect(refused).toMatchObject({ status: 400, body: { error: { fields: [{ path: '/tools/0/name' }] } } });
    expect(await states(id)).toEqual(['new', 'new']);
  });
});
