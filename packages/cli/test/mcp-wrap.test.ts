/** A third-party server behind the gate, by one line in a client’s configuration. The official client starts everything. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type CallToolResult, Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openFlawedWay, useOf } from '../../sdk/test/fixtures/open-flawed-way.ts';
import { BIN, cleanEnvironment, freshDirectory, spawnPermitry } from './fixtures/permitry.ts';
import { type ServedGate, serveGate } from './fixtures/served-gate.ts';

const CARELESS_SERVER = join(import.meta.dirname, 'fixtures/careless-tool-server.ts');
const TOOL_SERVER = join(import.meta.dirname, 'fixtures/tool-server.ts');
const TASK_SERVER = join(import.meta.dirname, '../../server/test/gateway/upstream/sdk-tasks-stdio-server.ts');

const RULES = [
  {
    name: 'look',
    match: { action: 'notes.environment | notes.fails | notes.dies | notes.asks' },
    effect: 'allow',
  },
  {
    name: 'no',
    match: { action: 'notes.write_note' },
    when: "params.text == 'bad'",
    effect: 'deny',
    reason: 'Not that.',
  },
];

interface Wrapped {
  gate: ServedGate;
  client: Client;
  /** Approves as a person. */
  approve(intentId: string): Promise<void>;
  call(name: string, given?: object, options?: object): Promise<CallToolResult>;
  /** What the server's tools did. */
  done(): unknown[];
  outcome(intentId: unknown): Promise<unknown>;
}

/** Starts the wrapper in front of a server, as written in a client's configuration. */
function wrapperOf(
  gate: ServedGate,
  name: string,
  { server, env = {}, ...more }: { server: string; env?: Record<string, string>; stderr?: 'pipe' },
): StdioClientTransport {
  return new StdioClientTransport({
    command: process.execPath,
    args: [BIN, 'mcp', 'wrap', '--name', name, '--', process.execPath, server],
    env: {
      PATH: process.env.PATH ?? '',
      PERMITRY_URL: gate.url,
      PERMITRY_KEY: gate.first.agent_key,
      ...env,
    },
    ...more,
  });
}

async function wrapped(
  revision: '2026-07-28' | '2025-11-25',
  onUrl?: (url: string, approve: Wrapped['approve']) => Promise<'accept' | 'decline'>,
): Promise<Wrapped> {
  const gate = await serveGate();
  await gate.putPolicy(RULES);
  const ann = await gate.addBrowser('ann@example.org', 'approver');
  const approve = (id: string) => gate.approve(ann, id);
  const file = freshDirectory();
  const client = new Client(
    { name: 'test', version: '1' },
    {
      capabilities: onUrl ? { elicitation: { url: {}, form: {} } } : {},
      versionNegotiation: { mode: revision === '2025-11-25' ? 'legacy' : { pin: revision } },
    },
  );
  if (onUrl) {
    client.setRequestHandler('elicitation/create', async ({ params }) => {
      // The tool's own question.
      if (params.mode !== 'url') return { action: 'accept', content: { colour: 'green' } };
      return { action: await onUrl(params.url, approve) };
    });
  }
  await client.connect(wrapperOf(gate, 'notes', { server: TOOL_SERVER, env: { DONE: file } }));
  onTestFinished(() => client.close());
  return {
    gate,
    client,
    approve,
    call: async (name, given = {}, options = {}) =>
      (await client.callTool({ name, arguments: { ...given } }, options)) as CallToolResult,
    done: () =>
      existsSync(file)
        ? readFileSync(file, 'utf8')
            .trim()
            .split('\n')
            .map((line): unknown => JSON.parse(line))
        : [],
    outcome: async (id) =>
      (await gate.get<{ outcome: unknown }>(gate.first.secret_key, `/v1/intents/${String(id)}`)).outcome,
  };
}

function pendingOf({ structuredContent }: CallToolResult): { intent_id: string; status: string } {
  return structuredContent as { intent_id: string; status: string };
}

function wordsOf({ content }: CallToolResult): string {
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
}

describe.each(['2026-07-28', '2025-11-25'] as const)('a client of %s', (revision) => {
  test('sees everything of the server, and calls its tools only with approval', async () => {
    const { client, call, done, gate, approve, outcome } = await wrapped(revision);
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual([
      'write_note',
      'environment',
      'fails',
      'dies',
      'asks',
      'permitry_result',
      'permitry_withdraw',
    ]);
    expect((await client.listResources()).resources).toMatchObject([{ uri: 'note://1' }]);
    expect(client.getInstructions()).toBe('Notes of the test.');

    // Allowed by policy. Its environment does not contain the key of the gate.
    const names = wordsOf(await call('environment'));
    expect(names).toContain('"DONE"');
    expect(names).not.toMatch(/PERMITRY/i);

    // Denied by policy, with the reason.
    const denied = await call('write_note', { text: 'bad' });
    expect(denied.isError).toBe(true);
    expect(wordsOf(denied)).toContain('Not that.');

    // The call is pending. An identical call joins it, and the call runs once when it is approved.
    const asked = await call('write_note', { text: 'good' });
    expect(pendingOf(asked)).toMatchObject({ status: 'pending' });
    const { intent_id: id } = pendingOf(asked);
    expect(pendingOf(await call('write_note', { text: 'good' })).intent_id).toBe(id);
    expect(done()).toHaveLength(1);
    await approve(id);
    const result = await call('permitry_result', { intent_id: id });
    expect(result.structuredContent).toEqual({ written: 'good' });
    expect(await call('permitry_result', { intent_id: id })).toEqual(result);
    expect(done().slice(1)).toEqual([{ name: 'write_note', given: { text: 'good' } }]);
    expect(await outcome(id)).toBe('succeeded');

    // Denied by a person.
    const { intent_id: other } = pendingOf(await call('write_note', { text: 'other' }));
    await gate.post(gate.first.secret_key, `/v1/intents/${other}/deny`, { reason: 'Too late.' });
    const refused = await call('permitry_result', { intent_id: other });
    expect(refused.isError).toBe(true);
    expect(wordsOf(refused)).toContain('Too late.');
    // An identical call soon after a denial does not create another request.
    expect(await call('write_note', { text: 'other' })).toEqual(refused);

    // Withdrawn.
    const { intent_id: third } = pendingOf(await call('write_note', { text: 'third' }));
    expect(pendingOf(await call('permitry_withdraw', { intent_id: third })).status).toBe('withdrawn');
    expect(pendingOf(await call('write_note', { text: 'third' })).status).toBe('pending');
    expect(done()).toHaveLength(2);
  });

  test('is sent to the approval page if it can open one, and its call then continues', async () => {
    const opened: string[] = [];
    const { call, done } = await wrapped(revision, async (url, approve) => {
      opened.push(url);
      await approve(url.split('/').at(-1) ?? '');
      return 'accept';
    });
    // A question of the server during a call passes through.
    expect(wordsOf(await call('asks'))).toBe('green it is');
    expect((await call('write_note', { text: 'seen' })).structuredContent).toEqual({ written: 'seen' });
    expect(opened).toHaveLength(1);
    expect(done().at(-1)).toEqual({ name: 'write_note', given: { text: 'seen' } });
  });
});

test('a held call gets progress messages until it is decided, and then those of the tool', async () => {
  const { call, approve } = await wrapped('2025-11-25');
  const told: string[] = [];
  let approved: Promise<unknown> | undefined;
  const result = await call(
    'write_note',
    { text: 'held' },
    {
      onprogress: ({ message = '' }: { message?: string }) => {
        told.push(message);
        const id = /approve\/(\S+)/.exec(message)?.[1];
        // The message repeats. A second approval would be refused.
        if (id) approved ??= approve(id);
      },
    },
  );
  await approved;
  expect(result.structuredContent).toEqual({ written: 'held' });
  expect(told[0]).toContain('/approve/int_');
  expect(told.at(-1)).toBe('writing');
});

test('a failure of a tool is reported; if the server ends during a call, the outcome is unknown', async () => {
  const { call, gate } = await wrapped('2025-11-25');
  const failed = await call('fails');
  expect(failed).toMatchObject({ isError: true, content: [{ text: 'not today' }] });
  const ended = await call('dies');
  expect(ended.isError).toBe(true);
  expect(wordsOf(ended)).toContain('it is not known whether the tool did it');
  const { intents } = await gate.get<{ intents: { action: string; outcome: string | null }[] }>(
    gate.first.secret_key,
    '/api/intents',
  );
  expect(Object.fromEntries(intents.map(({ action, outcome }) => [action, outcome]))).toEqual({
    'notes.fails': 'failed',
    'notes.dies': 'unknown',
  });
});

test('a call that the gate refuses is not run', async () => {
  const { call, done, gate } = await wrapped('2025-11-25');
  const { agent_id: agentId, project_id: projectId, secret_key: key } = gate.first;
  await gate.post(key, `/v1/projects/${projectId}/agents/${agentId}/pause`, {});
  const paused = await call('environment');
  expect(paused).toMatchObject({
    isError: true,
    structuredContent: { status: 'refused', code: 'agent_paused' },
  });
  expect(done()).toEqual([]);
});

test('the permit of another request is refused, and the tool does not run', async () => {
  const gate = await serveGate();
  await gate.putPolicy(RULES);
  const other = await gate.ask('notes.environment');
  const way = await openFlawedWay(gate.url);
  onTestFinished(() => way.close());
  way.next('POST /v1/permits/validate', ...Array.from({ length: 5 }, () => useOf(other)));
  const file = freshDirectory();
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'legacy' } });
  await client.connect(
    wrapperOf({ ...gate, url: way.url }, 'notes', { server: TOOL_SERVER, env: { DONE: file } }),
  );
  onTestFinished(() => client.close());
  const call = () => client.callTool({ name: 'environment', arguments: {} });
  expect(await call()).toMatchObject({ isError: true, structuredContent: { status: 'refused' } });
  expect(existsSync(file)).toBe(false);
  expect(await call()).not.toHaveProperty('isError');
  expect(existsSync(file)).toBe(true);
});

test('a call with digits that a double cannot hold gets an error, and is neither requested nor run', async () => {
  const gate = await serveGate();
  await gate.putPolicy([{ name: 'free', match: { action: 'lax.*' }, effect: 'allow' }]);
  const wrapper = spawn(
    process.execPath,
    [BIN, 'mcp', 'wrap', '--name', 'lax', '--', process.execPath, CARELESS_SERVER],
    { env: cleanEnvironment({ PERMITRY_URL: gate.url, PERMITRY_KEY: gate.first.agent_key }) },
  );
  const answers: unknown[] = [];
  createInterface(wrapper.stdout).on('line', (line) => answers.push(JSON.parse(line)));
  const callWith = (id: number, amount: string) =>
    `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"echo","arguments":{"amount":${amount}}}}\n`;
  // Writes the first call in two pieces, as a pipe may deliver it.
  wrapper.stdin.write(callWith(1, '100.00000000000000001').slice(0, 50));
  wrapper.stdin.write(callWith(1, '100.00000000000000001').slice(50) + callWith(2, '100.50'));
  await expect.poll(() => answers.length).toBe(2);
  expect(answers).toMatchObject([
    { id: 1, error: { code: -32700, message: expect.stringContaining('more digits than a double holds') } },
    { id: 2, result: { content: [{ text: expect.stringContaining('100.5') }] } },
  ]);
  expect(await gate.get(gate.first.secret_key, '/api/intents')).toMatchObject({
    intents: [{ context: { amount: 100.5 } }],
  });
  const ended = once(wrapper, 'exit');
  wrapper.stdin.end();
  await ended;
});

describe('messages that no client of the SDK would send', () => {
  type Result = {
    tools?: { name: string; description: string }[];
    content?: { text: string }[];
    isError?: boolean;
  };

  async function careless({ file }: { file?: string } = {}) {
    const gate = await serveGate();
    await gate.putPolicy([{ name: 'free', match: { action: 'lax.*' }, effect: 'allow' }]);
    const transport = wrapperOf(gate, 'lax', {
      server: CARELESS_SERVER,
      env: file === undefined ? {} : { DIES_WITHOUT: file },
      stderr: 'pipe',
    });
    const answered: unknown[] = [];
    const answers = new Map<unknown, (result: Result) => void>();
    let tellChanged = (): void => {};
    const changed = () => new Promise<void>((resolve) => (tellChanged = resolve));
    transport.onmessage = (message) => {
      if ('method' in message && message.method === 'notifications/tools/list_changed') tellChanged();
      if (!('result' in message)) return;
      answered.push(message.id);
      answers.get(message.id)?.(message.result as Result);
    };
    const closed = new Promise<void>((resolve) => {
      transport.onclose = resolve;
    });
    await transport.start();
    onTestFinished(() => transport.close());
    let id = 0;
    const ask = (method: string, params: object): Promise<Result> => {
      id += 1;
      const answered = new Promise<Result>((resolve) => answers.set(id, resolve));
      void transport.send({ jsonrpc: '2.0', id, method, params: { ...params } });
      return answered;
    };
    const tell = (method: string, params: object): void =>
      void transport.send({ jsonrpc: '2.0', method, params: { ...params } });
    return { gate, ask, tell, changed, closed, answered };
  }

  test('do not run a call whose arguments or name the gate would not see', async () => {
    const { ask } = await careless();
    const good = await ask('tools/call', { name: 'echo', arguments: { n: 1 } });
    expect(JSON.parse(good.content?.[0]?.text ?? '')).toEqual({ name: 'echo', arguments: { n: 1 } });
    for (const given of [['rm -rf'], 'rm -rf', 7, null]) {
      const result = await ask('tools/call', { name: 'echo', arguments: given });
      expect(result).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('object') }] });
    }
    expect(await ask('tools/call', { name: ['echo'], arguments: {} })).toMatchObject({ isError: true });
    // Approvers do not see a member beside `name` and `arguments`, so the server does not get it.
    const more = await ask('tools/call', { name: 'echo', arguments: {}, args: ['rm -rf'] });
    expect(JSON.parse(more.content?.[0]?.text ?? '')).toEqual({ name: 'echo', arguments: {} });
  });

  test('do not show a tool of the server that has the name of a tool of the wrapper', async () => {
    const { ask } = await careless();
    const { tools = [] } = await ask('tools/list', {});
    expect(tools.map(({ name }) => name)).toEqual(['echo', 'permitry_result', 'permitry_withdraw']);
    expect(tools[1]?.description).not.toBe('Approves it.');
  });

  test('find a tool that requires tasks on every page, and again after the tools changed', async () => {
    const { gate, ask, tell, changed } = await careless();
    const call = (name: string) => ask('tools/call', { name, arguments: {} });
    for (const name of ['early', 'late']) {
      const told = changed();
      tell('notifications/test/task_tool', { name });
      await told;
      expect(await call(name)).toMatchObject({ structuredContent: { code: 'tool_not_offered' } });
    }
    expect(await call('echo')).not.toHaveProperty('isError');
    expect(await gate.get(gate.first.secret_key, '/api/intents')).toMatchObject({
      intents: [{ action: 'lax.echo' }],
    });
  });

  test('do not run a call that is cancelled while the gate answers', async () => {
    const { ask, tell, answered } = await careless();
    const cancelled = ask('tools/call', { name: 'echo', arguments: { n: 1 } });
    tell('notifications/cancelled', { requestId: 1 });
    for (const n of [2, 3, 4]) await ask('tools/call', { name: 'echo', arguments: { n } });
    expect(answered).toEqual([2, 3, 4]);
    void cancelled;
  });

  test('answer a call to a server that has just ended with an error, and end the wrapper', async () => {
    const file = freshDirectory();
    writeFileSync(file, '');
    const { ask, closed } = await careless({ file });
    await ask('tools/list', {});
    const calls = Array.from({ length: 20 }, (_, n) => ask('tools/call', { name: 'echo', arguments: { n } }));
    rmSync(file);
    await closed;
    const told = await Promise.all(calls);
    expect(told).toHaveLength(20);
  });
});

async function jobs(): Promise<{ gate: ServedGate; client: Client; stderr(): string }> {
  const gate = await serveGate();
  await gate.putPolicy([{ name: 'reading is free', match: { action: 'jobs.*' }, effect: 'allow' }]);
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'legacy' } });
  const transport = wrapperOf(gate, 'jobs', { server: TASK_SERVER, stderr: 'pipe' });
  let stderr = '';
  transport.stderr?.on('data', (part) => {
    stderr += String(part);
  });
  await client.connect(transport);
  onTestFinished(() => client.close());
  return { gate, client, stderr: () => stderr };
}

test('a tool that requires tasks is not listed, is refused before a request is sent, and the reason is on stderr', async () => {
  const { gate, client, stderr } = await jobs();
  expect(client.getServerCapabilities()).not.toHaveProperty('tasks');
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(['draft', 'read', 'permitry_result', 'permitry_withdraw']);
  for (const tool of tools) expect(tool).not.toHaveProperty('execution');
  await client.listTools();
  expect(
    stderr().match(/the tool "plan" is not offered: it can only be called as an MCP task/g),
  ).toHaveLength(1);
  const refused = (await client.callTool({ name: 'plan', arguments: {} })) as CallToolResult;
  expect(refused).toMatchObject({
    isError: true,
    structuredContent: { status: 'refused', code: 'tool_not_offered' },
  });
  const intents = await gate.get<{ intents: unknown[] }>(gate.first.agent_key, '/api/intents');
  expect(intents.intents).toEqual([]);
  for (const name of ['draft', 'read']) {
    const done = (await client.callTool({ name, arguments: {} })) as CallToolResult;
    expect(wordsOf(done)).toBe('done');
  }
});

test('a tool that requires tasks is refused before a request is sent, even if the client listed no tools', async () => {
  const { gate, client, stderr } = await jobs();
  const [refused, read] = await Promise.all(
    ['plan', 'read'].map(async (name) => (await client.callTool({ name, arguments: {} })) as CallToolResult),
  );
  expect(refused).toMatchObject({ structuredContent: { status: 'refused', code: 'tool_not_offered' } });
  expect(read && wordsOf(read)).toBe('done');
  expect(await gate.get(gate.first.agent_key, '/api/intents')).toMatchObject({
    intents: [{ action: 'jobs.read' }],
  });
  expect(stderr().match(/the tool "plan" is not offered/g)).toHaveLength(1);
});

test('a missing key, a missing command and an unusable prefix are explained', async () => {
  const none = await spawnPermitry(['mcp', 'wrap', '--', 'true'], {
    env: { XDG_CONFIG_HOME: freshDirectory() },
  });
  expect(none).toMatchObject({ code: 2, stderr: expect.stringContaining('PERMITRY_KEY') });
  const env = { PERMITRY_KEY: 'prm_agent_test_nonsense' };
  expect(await spawnPermitry(['mcp', 'wrap', '--', 'true'], { env })).toMatchObject({ code: 2 });
  expect(await spawnPermitry(['mcp', 'wrap'], { env })).toMatchObject({ code: 2 });
});
