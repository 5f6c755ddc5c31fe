/** The hook as Claude Code runs it: a process for each event, JSON on stdin, JSON or an exit code as its answer. */
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Permitry } from '@permitry/sdk';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ServedGate, serveGate } from '../../sdk/test/fixtures/serve-gate.ts';
import { BIN, cleanEnvironment, type Finished, finished } from './fixtures/permitry.ts';

let served: ServedGate;
let owner: Permitry;
let state: string;
beforeAll(async () => {
  state = mkdtempSync(join(tmpdir(), 'permitry-hook-'));
  served = await serveGate({
    rules: [
      { name: 'reading', match: { action: 'claude-code.Read' }, effect: 'allow' },
      { name: 'never', match: { action: 'claude-code.WebFetch' }, effect: 'deny', reason: 'Not from here.' },
    ],
  });
  owner = new Permitry({ baseUrl: served.url, apiKey: served.first.secret_key });
});
afterAll(async () => {
  await served.close();
  rmSync(state, { recursive: true, force: true });
});

interface HookRun {
  args?: string[];
  env?: Record<string, string>;
}

let uses = 0;
function toolUse(tool_name: string, tool_input: object, more: object = {}): Record<string, unknown> {
  uses += 1;
  return {
    session_id: 'session-1',
    transcript_path: '/tmp/t.jsonl',
    cwd: '/srv/shop',
    permission_mode: 'default',
    hook_event_name: 'PreToolUse',
    tool_name,
    tool_input,
    tool_use_id: `toolu_${uses}`,
    ...more,
  };
}

function start(stdin: string | object, { args = [], env = {} }: HookRun = {}) {
  const child = spawn(process.execPath, [BIN, 'hook', 'claude-code', ...args], {
    env: cleanEnvironment({
      PERMITRY_URL: served.url,
      PERMITRY_KEY: served.first.agent_key,
      XDG_STATE_HOME: state,
      ...env,
    }),
  });
  child.stdin.end(typeof stdin === 'string' ? stdin : JSON.stringify(stdin));
  return child;
}

const hook = (stdin: string | object, run?: HookRun): Promise<Finished> => finished(start(stdin, run));

async function decide(command: string, decision: 'approve' | 'deny', said = {}): Promise<string> {
  const find = async () => {
    const { data } = await owner.intents.list({ status: 'pending' });
    return data.find(({ params }) => params.command === command)?.id;
  };
  await expect.poll(find).toBeDefined();
  const id = (await find()) ?? '';
  await owner.intents[decision](id, said);
  return id;
}

function decisionOf({ stdout }: Finished): Record<string, string> {
  const { hookSpecificOutput } = JSON.parse(stdout) as { hookSpecificOutput: Record<string, string> };
  expect(hookSpecificOutput.hookEventName).toBe('PreToolUse');
  return hookSpecificOutput;
}

describe.concurrent('permitry hook claude-code', () => {
  test('allows a call that a person approved with exactly this input, uses the permit and reports the outcome', async () => {
    const event = toolUse('Bash', { command: 'npm publish', timeout: 1000 });
    const running = hook(event);
    const id = await decide('npm publish', 'approve');
    const ended = await running;
    expect(ended.code).toBe(0);
    expect(decisionOf(ended)).toMatchObject({
      permissionDecision: 'allow',
      permissionDecisionReason: expect.stringContaining('owner@example.org'),
    });
    expect(await owner.intents.get(id)).toMatchObject({
      action: 'claude-code.Bash',
      params: { command: 'npm publish', timeout: 1000 },
      metadata: { session_id: 'session-1', cwd: '/srv/shop', permission_mode: 'default' },
      source_type: 'ai_agent',
      outcome: null,
    });
    const after = { ...event, hook_event_name: 'PostToolUse', tool_response: {} };
    expect(await hook(after)).toMatchObject({ code: 0, stdout: '' });
    expect((await owner.intents.get(id)).outcome).toBe('succeeded');
    // Sending the same event a second time reports nothing new.
    expect(await hook(after)).toMatchObject({ code: 0, stdout: '', stderr: '' });
  });

  test('denies a call with the reason of the approver', async () => {
    const running = hook(toolUse('Bash', { command: 'rm -rf /srv/shop' }));
    await decide('rm -rf /srv/shop', 'deny', { reason: 'Move it aside instead.' });
    const ended = await running;
    expect(ended.code).toBe(0);
    expect(decisionOf(ended)).toMatchObject({
      permissionDecision: 'deny',
      permissionDecisionReason: expect.stringContaining('Move it aside instead.'),
    });
  });

  test('allows and denies calls that policy decides, and reports a failed call', async () => {
    const event = toolUse('Read', { file_path: '/srv/shop/a.txt' });
    expect(decisionOf(await hook(event)).permissionDecision).toBe('allow');
    await hook({ ...event, hook_event_name: 'PostToolUseFailure', error: 'no such file' });
    const { data } = await owner.intents.list({ limit: 200 });
    expect(data.find(({ params }) => params.file_path === '/srv/shop/a.txt')?.outcome).toBe('failed');
    expect(decisionOf(await hook(toolUse('WebFetch', { url: 'https://example.com' })))).toMatchObject({
      permissionDecision: 'deny',
      permissionDecisionReason: expect.stringContaining('Not from here.'),
    });
  });

  test('also asks the person at the terminal, with --then ask', async () => {
    const ended = await hook(toolUse('Read', { file_path: 'b' }), { args: ['--then', 'ask'] });
    expect(decisionOf(ended).permissionDecision).toBe('ask');
  });

  test('denies an undecided call for now, and continues the same request later', async () => {
    const input = { command: 'terraform apply' };
    const first = decisionOf(await hook(toolUse('Bash', input), { args: ['--wait', '0s'] }));
    expect(first).toMatchObject({
      permissionDecision: 'deny',
      permissionDecisionReason: expect.stringContaining(`${served.url}/approve/int_`),
    });
    const id = await decide('terraform apply', 'approve');
    const second = decisionOf(await hook(toolUse('Bash', input), { args: ['--wait', '0s'] }));
    expect(second).toMatchObject({
      permissionDecision: 'allow',
      permissionDecisionReason: expect.stringContaining(id),
    });
    // That permit was used, so the next call is a new request.
    const third = decisionOf(await hook(toolUse('Bash', input), { args: ['--wait', '0s'] }));
    expect(third.permissionDecision).toBe('deny');
    expect(third.permissionDecisionReason).not.toContain(id);
  });

  test('does not continue a request of another session or with another input', async () => {
    const input = { command: 'make deploy' };
    await hook(toolUse('Bash', input), { args: ['--wait', '0s'] });
    await decide('make deploy', 'approve');
    for (const other of [
      toolUse('Bash', input, { session_id: 'session-2' }),
      toolUse('Bash', { ...input, timeout: 1 }),
      toolUse('Bash', input, { cwd: '/srv/other' }),
      toolUse('Bash', input, { permission_mode: 'acceptEdits' }),
    ]) {
      expect(decisionOf(await hook(other, { args: ['--wait', '0s'] })).permissionDecision).toBe('deny');
    }
  });

  test.each<[string, string | object, HookRun]>([
    [
      'a gate that cannot be reached',
      toolUse('Bash', { command: 'ls' }),
      { env: { PERMITRY_URL: 'http://127.0.0.1:2' } },
    ],
    ['a text that is not a key', toolUse('Bash', { command: 'ls' }), { env: { PERMITRY_KEY: 'nonsense' } }],
    [
      'a key that the gate does not know',
      toolUse('Bash', { command: 'ls' }),
      { env: { PERMITRY_KEY: `prm_agent_test_${'a'.repeat(49)}` } },
    ],
    ['stdin that is not JSON', 'not json', {}],
    ['empty stdin', '', {}],
    [
      'an input with a name twice',
      '{"session_id":"s","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls","command":"rm"}}',
      {},
    ],
    [
      'an input with digits that would get lost',
      '{"session_id":"s","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"amount":0.30000000000000004441}}',
      {},
    ],
    ['an input that is not an object', toolUse('Bash', ['ls']), {}],
    ['a tool whose name cannot be an action', toolUse('Bäsh', { command: 'ls' }), {}],
    ['another event', toolUse('Bash', { command: 'ls' }, { hook_event_name: 'Stop' }), {}],
    ['a flag that does not exist', toolUse('Bash', { command: 'ls' }), { args: ['--waits', '1s'] }],
  ])('blocks the call for %s', async (_, stdin, run) => {
    const { code, stdout, stderr } = await hook(stdin, run);
    // The only code that Claude Code blocks on.
    expect(code).toBe(2);
    expect(stdout).toBe('');
    expect(stderr).not.toBe('');
    // The name of an SDK option would mean nothing to people here.
    expect(stderr).not.toContain('baseUrl');
    expect(stderr).not.toContain(served.first.agent_key);
  });

  test('blocks the call when it is stopped during the wait', async () => {
    const child = start(toolUse('Bash', { command: 'sleep 1000' }));
    const ended = finished(child);
    await expect
      .poll(async () => {
        const { data } = await owner.intents.list({ status: 'pending' });
        return data.some(({ params }) => params.command === 'sleep 1000');
      })
      .toBe(true);
    child.kill('SIGTERM');
    expect(await ended).toMatchObject({ code: 2, stdout: '' });
  });

  test('blocks the call after an uncaught error', async () => {
    const stray =
      'setInterval(() => { if (process.listenerCount("SIGTERM") > 0) throw new Error("stray") }, 10)';
    const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(stray)}` };
    const { code, stdout } = await hook(toolUse('Bash', { command: 'sleep 2000' }), { env });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  });

  test('works where it cannot write its notes', async () => {
    const env = { XDG_STATE_HOME: BIN };
    const event = toolUse('Read', { file_path: 'c' });
    expect(decisionOf(await hook(event, { env })).permissionDecision).toBe('allow');
    expect(await hook({ ...event, hook_event_name: 'PostToolUse' }, { env })).toMatchObject({ code: 0 });
  });
});

test('the notes of the hook hold no secret', () => {
  const folder = join(state, 'permitry', 'claude-code');
  expect(readdirSync(folder).every((name) => /^[0-9a-f]{64}$/.test(name))).toBe(true);
});
