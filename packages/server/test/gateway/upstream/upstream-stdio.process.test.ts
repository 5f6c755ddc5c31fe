/** Commands of the gate's machine that speak MCP: how they run, and what happens when they misbehave. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { addUpstream } from '../../../src/gate/upstreams/add-upstream.ts';
import { removeUpstream } from '../../../src/gate/upstreams/update-upstream.ts';
import { OPERATOR } from '../../fixtures/open-test-gate.ts';
import { codeOf } from '../open-gateway.ts';
import { openUpstreamGateway, type UpstreamGateway } from './open-upstream-gateway.ts';

const SCRIPTED = join(import.meta.dirname, 'scripted-stdio-server.ts');

let t: UpstreamGateway;
let folder: string;

beforeEach(async () => {
  t = await openUpstreamGateway();
  folder = mkdtempSync(join(tmpdir(), 'permitry-stdio-'));
});
afterEach(async () => {
  await t.close();
  rmSync(folder, { recursive: true, force: true });
});

const command = (script = SCRIPTED) => ({
  kind: 'stdio' as const,
  command: process.execPath,
  args: [script, folder],
  env: { SECRET_TOKEN: 'stdio-secret-1234' },
  cwd: folder,
});
const behave = (how: string) => writeFileSync(join(folder, 'how'), how);
const linesOf = (name: string) =>
  existsSync(join(folder, name)) ? readFileSync(join(folder, name), 'utf8').trim().split('\n') : [];
const started = () => linesOf('started').map(Number);
const calls = () => linesOf('seen').filter((line) => line.includes('"tools/call"'));
const echo = async () => (await t.callTool({ tool: 'notes.echo', arguments: { a: 1 } })).body;

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    // A zombie counts as ended.
    return !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ');
  } catch {
    return false;
  }
}

describe('a command', () => {
  it('is started once, asked for its protocol revision, and called', async () => {
    const upstream = await t.register(command());
    expect(upstream).toMatchObject({ kind: 'stdio', error: null, server: { protocol: '2025-11-25' } });
    expect(await echo()).toMatchObject({ status: 'executed', result: { content: [{ text: '{"a":1}' }] } });
    expect(started()).toHaveLength(1);
    expect(calls()).toHaveLength(1);
    const tools = await t.upstreams.list(t.projectId);
    expect(tools.map(({ name, riskTier }) => [name, riskTier])).toEqual([
      ['notes.drop', 'high'],
      ['notes.echo', 'medium'],
    ]);
  });

  it('gets none of the gate’s environment, and its secrets stay out of the log', async () => {
    process.env.PERMITRY_TEST_SECRET = 'of the gate';
    try {
      await t.register(command());
    } finally {
      delete process.env.PERMITRY_TEST_SECRET;
    }
    await expect.poll(() => t.errorLines).toEqual(['token (secret) of PATH,SECRET_TOKEN']);
  });

  it('made with the official SDK speaks the newest revision', async () => {
    const upstream = await t.register(command(join(import.meta.dirname, 'sdk-stdio-server.ts')));
    expect(upstream.server).toEqual({ name: 'notes', version: '2', protocol: '2026-07-28' });
    const { body } = await t.callTool({ tool: 'notes.read', arguments: { note: 'a' } });
    expect(body).toMatchObject({ status: 'executed', result: { structuredContent: { note: 'a' } } });
  });

  it('made with the official SDK does not offer a tool that requires tasks, and says why', async () => {
    const upstream = await t.register(command(join(import.meta.dirname, 'sdk-tasks-stdio-server.ts')));
    expect(upstream).toMatchObject({ error: null, server: { name: 'tasks' } });
    const seen = await t.tools(upstream);
    expect(seen.map(({ name, state, obstacle }) => [name, state, obstacle])).toEqual([
      ['draft', 'approved', null],
      ['plan', 'new', 'It can only be called as an MCP task, and this gate does not support tasks yet.'],
      ['read', 'approved', null],
    ]);
    await t.setPolicy([]);
    const call = await t.callTool({ tool: 'notes.plan', arguments: {} });
    expect(codeOf(call)).toEqual([404, 'NOT_FOUND']);
    expect(await t.events(t.projectId, 'intent.created')).toEqual([]);
    await t.setPolicy([{ name: 'all is free', match: { action: 'notes.*' }, effect: 'allow' }]);
    for (const tool of ['notes.draft', 'notes.read']) {
      const { body } = await t.callTool({ tool, arguments: {} });
      expect(body).toMatchObject({ status: 'executed', result: { content: [{ text: 'done' }] } });
    }
  });

  it('that exits when it is asked for its protocol revision is started again and not asked', async () => {
    behave('ends when asked');
    expect(await t.register(command())).toMatchObject({ error: null, server: { name: 'scripted' } });
    expect(started()).toHaveLength(2);
  });

  it('can be registered only by the operator', async () => {
    for (const caller of [t.owner.caller, t.secret]) {
      const adding = addUpstream(t.gate, caller, {
        projectId: t.projectId,
        name: 'notes',
        settings: command(),
      });
      await expect(adding).rejects.toMatchObject({ code: 'forbidden' });
    }
    expect(started()).toEqual([]);
    expect(await t.gate.storage.read.listUpstreams(t.projectId)).toEqual([]);
  });

  it('ends with everything it started when its server is removed', async () => {
    const upstream = await t.register(command());
    behave('starts another');
    expect(await echo()).toMatchObject({ status: 'executed' });
    const pids = started();
    expect(pids.map(isRunning)).toEqual([true, true]);
    await removeUpstream(t.gate, OPERATOR, { projectId: t.projectId, upstreamId: upstream.id });
    await expect.poll(() => pids.map(isRunning)).toEqual([false, false]);
  });

  it('ends with the gate', async () => {
    await t.register(command());
    await t.upstreams.close();
    expect(started().map(isRunning)).toEqual([false]);
  });

  it('has its tools disabled if they have changed after a restart', async () => {
    const upstream = await t.register(command());
    const [pid = 0] = started();
    writeFileSync(join(folder, 'description'), 'Says it to somebody else.');
    process.kill(pid, 'SIGKILL');
    await expect.poll(() => isRunning(pid)).toBe(false);
    expect(await echo()).toMatchObject({
      status: 'failed',
      message: expect.stringMatching(/changed since it was approved/),
    });
    expect(calls()).toEqual([]);
    expect(await t.tools(upstream)).toMatchObject([
      { name: 'drop', state: 'approved' },
      { name: 'echo', state: 'changed' },
    ]);
  });
});

describe('a command that misbehaves', () => {
  it.each([
    ['dies', /Its command ended \(code 1\)/],
    ['is large', /more than 1024 KiB/],
    ['floods', /too many messages/],
  ])(
    'and %s leaves the outcome of a call unknown, and is started again for the next call',
    async (how, message) => {
      await t.register(command());
      behave(how);
      expect(await echo()).toMatchObject({ status: 'unknown', message: expect.stringMatching(message) });
      expect(calls()).toHaveLength(1);
      behave('');
      expect(await echo()).toMatchObject({ status: 'executed' });
      expect(started()).toHaveLength(2);
      const [first = 0] = started();
      await expect.poll(() => isRunning(first)).toBe(false);
    },
  );

  it('and hangs leaves the outcome of a call unknown', async () => {
    await t.close();
    t = await openUpstreamGateway({ patience: { callMs: 300 } });
    await t.register(command());
    behave('hangs');
    expect(await echo()).toMatchObject({ status: 'unknown', message: expect.stringMatching(/in time/) });
    expect(calls()).toHaveLength(1);
  });

  it('and asks for sampling is refused', async () => {
    await t.register(command());
    behave('asks for sampling');
    expect(await echo()).toMatchObject({ status: 'executed' });
    await expect.poll(() => linesOf('seen').filter((line) => line.includes('ask-1'))).toHaveLength(1);
    expect(linesOf('seen').find((line) => line.includes('ask-1'))).toContain('-32601');
  });

  it.each([
    ['does not exist', { command: '/nowhere/at/all', args: [] }, {}, /cannot be started \(ENOENT\)/],
    ['ends at once', {}, {}, /Its command ended \(code 3\)/],
    [
      'is not a server',
      { args: ['-e', 'process.stdin.resume(); console.log("Hello!")'] },
      { connectMs: 1000, probeMs: 300 },
      /in time/,
    ],
  ])('and %s is reported with the reason', async (_, changes, patience, error) => {
    behave('never starts');
    await t.close();
    t = await openUpstreamGateway({ patience });
    const upstream = await t.register({ ...command(), ...changes });
    expect(upstream).toMatchObject({ error: expect.stringMatching(error), failingSince: expect.any(String) });
    expect(await t.tools(upstream)).toEqual([]);
    expect(started()).toEqual([]);
  });

  it.skipIf(!existsSync('/proc/self/fd'))(
    'and leaves a process behind outside its group is no longer listened to',
    async () => {
      await t.register(command());
      behave('leaves one behind');
      expect(await echo()).toMatchObject({ status: 'executed' });
      const [first = 0, left = 0] = started();
      onTestFinished(() => {
        process.kill(left, 'SIGKILL');
      });
      process.kill(first, 'SIGKILL');
      await expect.poll(() => isRunning(first)).toBe(false);
      await expect.poll(() => t.upstreams.openConnections).toBe(0);
      expect(isRunning(left)).toBe(true);
      const heard = t.errorLines.length;
      writeFileSync(join(folder, 'speak'), '');
      await expect.poll(() => linesOf('spoke')).not.toEqual([]);
      expect(t.errorLines.slice(heard)).toEqual([]);
    },
  );

  describe('that is unavailable when an approved call should run', () => {
    /** A call that was approved while the command was available. */
    const approved = async () => {
      await t.setPolicy([]);
      const { body } = await t.callTool({ tool: 'notes.echo', arguments: { a: 1 } });
      await t.approve(body.intent_id);
      return { connector_request_id: body.connector_request_id };
    };
    const comeBack = (body: object) => t.callTool(body);
    /** Neither the process nor its connection exists any longer. */
    const end = async () => {
      for (const pid of started().filter(isRunning)) process.kill(pid, 'SIGKILL');
      await expect.poll(() => t.upstreams.openConnections).toBe(0);
    };
    const uses = () => t.events(t.projectId, 'permit.consumed', 'permit.released');

    it.each([
      ['never starts', /ended \(code 3\)/],
      ['hangs at initialize', /did not answer in time/],
      ['refuses to begin', /refused \(-32603\)/],
    ])('because it %s keeps the approval, and the call runs once when it is back', async (how, why) => {
      await t.close();
      t = await openUpstreamGateway({ patience: { connectMs: 3000, probeMs: 2000 } });
      await t.register(command());
      const request = await approved();
      behave(how);
      await end();
      const away = await comeBack(request);
      expect(codeOf(away)).toEqual([503, 'SERVICE_UNAVAILABLE']);
      expect(away.text).toMatch(why);
      expect(await uses()).toEqual([]);
      expect(calls()).toHaveLength(0);
      behave('');
      await expect.poll(async () => (await comeBack(request)).body.status).toBe('executed');
      expect(calls()).toHaveLength(1);
      expect(await uses()).toHaveLength(1);
    });

    it('because it was killed in between is started again and runs the call at once', async () => {
      await t.register(command());
      const request = await approved();
      await end();
      const { status, body } = await comeBack(request);
      expect([status, body.status]).toEqual([200, 'executed']);
      expect(started()).toHaveLength(2);
      expect(calls()).toHaveLength(1);
    });

    it('is waited for no longer than the caller waits, and continues to start for the next caller', async () => {
      await t.register(command());
      behave('hangs at initialize');
      await end();
      const [tool] = await t.upstreams.list(t.projectId);
      if (!tool) throw new Error('nothing is offered');
      const ask = () => t.upstreams.findOutage({ projectId: t.projectId, tool }, 20);
      expect([await ask(), await ask()]).toEqual(['It has not answered yet.', 'It has not answered yet.']);
      await expect.poll(started).toHaveLength(2);
    });
  });

  it('is not started again until its back-off has passed', async () => {
    await t.close();
    t = await openUpstreamGateway({ patience: { firstPauseMs: 3_600_000, longestPauseMs: 3_600_000 } });
    await t.register(command());
    behave('dies');
    expect(await echo()).toMatchObject({ status: 'unknown' });
    behave('');
    expect(await echo()).toMatchObject({
      status: 'failed',
      message: expect.stringMatching(/Nothing was sent.*ended/),
    });
    expect(started()).toHaveLength(1);
  });
});
