import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { loseAnswer, openFlawedWay, useOf } from '../../sdk/test/fixtures/open-flawed-way.ts';
import { BIN, cleanEnvironment, type Finished, finished } from './fixtures/permitry.ts';
import { type ServedGate, serveGate } from './fixtures/served-gate.ts';

const USE = 'POST /v1/permits/validate';
const FREE = { name: 'free', match: { action: 'command.run' }, effect: 'allow' };

function freshFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'permitry-run-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Starts `permitry run …` in a separate process, as an agent. */
function start(t: Pick<ServedGate, 'url' | 'first'>, cwd: string, ...args: string[]) {
  const env = cleanEnvironment({ PERMITRY_URL: t.url, PERMITRY_KEY: t.first.agent_key });
  const child = spawn(process.execPath, [BIN, 'run', ...args], {
    cwd,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return { child, ended: finished(child) };
}

async function only(t: ServedGate): Promise<Record<string, unknown>> {
  const { intents } = await t.get<{ intents: { id: string }[] }>(t.first.secret_key, '/api/intents');
  expect(intents).toHaveLength(1);
  return t.get(t.first.secret_key, `/v1/intents/${intents[0]?.id}`);
}

async function untilPending(t: ServedGate): Promise<string> {
  const first = async () => {
    const { data } = await t.get<{ data: { id: string }[] }>(t.first.secret_key, '/console/inbox');
    return data[0]?.id;
  };
  await expect.poll(first).toBeDefined();
  return String(await first());
}

const node = (script: string, ...args: string[]) => ['--', process.execPath, '-e', script, ...args];

describe('permitry run', () => {
  test('runs exactly this command once, without a shell and without the key, and reports the outcome', async () => {
    const t = await serveGate();
    await t.putPolicy([FREE]);
    const cwd = freshFolder();
    const words = ['$(touch owned)', '; touch owned', '--json', 'a  b'];
    const tell =
      'console.log(JSON.stringify([process.argv.slice(1), process.env.PERMITRY_KEY ?? null])); process.exit(7)';
    const { code, stdout } = await start(
      t,
      cwd,
      '--params',
      '{"ticket":"T-1"}',
      ...node(tell, '--', ...words),
    ).ended;
    expect(code).toBe(7);
    expect(JSON.parse(stdout)).toEqual([words, null]);
    expect(existsSync(join(cwd, 'owned'))).toBe(false);
    expect(await only(t)).toMatchObject({
      action: 'command.run',
      params: { ticket: 'T-1', argv: [process.execPath, '-e', tell, '--', ...words], cwd },
      outcome: 'failed',
    });
  });

  test('waits for a decision, and does not run a denied command', async () => {
    const t = await serveGate();
    const ann = await t.addBrowser('ann@example.org', 'approver');
    const cwd = freshFolder();
    const write = node(`require('node:fs').writeFileSync('ran', 'yes')`);
    const denied = start(t, cwd, '--json', ...write);
    await t.post(t.first.secret_key, `/v1/intents/${await untilPending(t)}/deny`, { reason: 'no' });
    const { code, stdout, stderr } = await denied.ended;
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
    expect(
      stderr
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toMatchObject([
      { status: 'pending', approval_url: expect.any(String) },
      { status: 'not_run', decision: 'denied' },
    ]);
    expect(existsSync(join(cwd, 'ran'))).toBe(false);

    const approved = start(t, cwd, ...write);
    const id = await untilPending(t);
    await t.approve(ann, id);
    expect(await approved.ended).toMatchObject({ code: 0 });
    expect(readFileSync(join(cwd, 'ran'), 'utf8')).toBe('yes');
    expect(await t.get(t.first.secret_key, `/v1/intents/${id}`)).toMatchObject({ outcome: 'succeeded' });
  });

  test('repeats a use whose answer was lost, runs the command once, and never runs it without a use', async () => {
    const t = await serveGate();
    await t.putPolicy([FREE]);
    const way = await openFlawedWay(t.url);
    onTestFinished(() => way.close());
    const cwd = freshFolder();
    const count = node('require("node:fs").appendFileSync("ran", "x")');
    way.next(USE, loseAnswer);
    expect(await start({ ...t, url: way.url }, cwd, ...count).ended).toMatchObject({ code: 0 });
    expect(readFileSync(join(cwd, 'ran'), 'utf8')).toBe('x');
    expect(await only(t)).toMatchObject({ outcome: 'succeeded' });
    way.next(USE, ...Array.from({ length: 10 }, () => loseAnswer));
    const { code, stderr } = await start({ ...t, url: way.url }, cwd, ...count).ended;
    expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining('broke') });
    expect(readFileSync(join(cwd, 'ran'), 'utf8')).toBe('x');
  });

  test('refuses the permit of another request, and runs nothing', async () => {
    const t = await serveGate();
    await t.putPolicy([FREE]);
    const other = await t.ask('command.run');
    const way = await openFlawedWay(t.url);
    onTestFinished(() => way.close());
    way.next(USE, ...Array.from({ length: 5 }, () => useOf(other)));
    const cwd = freshFolder();
    const write = node(`require('node:fs').writeFileSync('ran', 'yes')`);
    const { code, stderr } = await start({ ...t, url: way.url }, cwd, ...write).ended;
    expect({ code, stderr }).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('not an answer of a gate'),
    });
    expect(existsSync(join(cwd, 'ran'))).toBe(false);
  });

  test('withdraws the request at Ctrl-C during the wait, and at the end of the wait', async () => {
    const t = await serveGate();
    const { child, ended } = start(t, freshFolder(), ...node('process.exit(0)'));
    await untilPending(t);
    child.kill('SIGINT');
    expect(await ended).toMatchObject({ code: 130, stderr: expect.stringContaining('withdrawn') });
    expect(await only(t)).toMatchObject({ status: 'denied', reason: 'withdrawn' });
    expect(await start(t, freshFolder(), '--wait', '0s', ...node('process.exit(0)')).ended).toMatchObject({
      code: 5,
    });
    expect(await t.get(t.first.secret_key, '/console/inbox')).toMatchObject({ data: [] });
  });

  test('passes signals to the command, and exits with its code', async () => {
    const t = await serveGate();
    await t.putPolicy([FREE]);
    const wait = `process.on('SIGTERM', () => process.exit(9)); console.log('up'); setInterval(() => {}, 1000)`;
    const handled = start(t, freshFolder(), ...node(wait));
    handled.child.stdout?.once('data', () => handled.child.kill('SIGTERM'));
    expect(await handled.ended).toMatchObject({ code: 9 });
    const killed = start(t, freshFolder(), ...node(`process.kill(process.pid, 'SIGKILL')`));
    expect(await killed.ended).toMatchObject({ code: 137 });
  });

  test('sends no request for a command that cannot run', async () => {
    const t = await serveGate();
    const run = (...args: string[]): Promise<Finished> => t.as(t.first.agent_key, 'run', ...args);
    expect(await run('--', 'no-such-command-here')).toMatchObject({ code: 127 });
    const script = join(freshFolder(), 'deploy.sh');
    writeFileSync(script, '#!/bin/sh\n', { mode: 0o644 });
    expect(await run('--', script)).toMatchObject({
      code: 126,
      stderr: expect.stringContaining('is not executable'),
    });
    expect(await run('--params', '{"argv":["ls"]}', '--', 'ls')).toMatchObject({ code: 2 });
    expect(await run()).toMatchObject({ code: 2 });
    expect(await t.get(t.first.secret_key, '/api/intents')).toMatchObject({ intents: [] });
  });
});
