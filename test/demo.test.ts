/** The demo, run as `npm run demo` runs it, without a terminal. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Narrator, UnexpectedAnswerError } from '../examples/demo/narrator.ts';

const ROOT = join(import.meta.dirname, '..');

/** Lines in the order of the story. */
const KEY_LINES = [
  /✓ 201 [^✓]*"status":"pending"/,
  /✓ 403 [^✓]*"code":"forbidden"/,
  /the owner’s secret key, approves/,
  /✓ 200 [^✓]*"status":"approved"/,
  /action +payments\.refund/,
  /✓ 400 [^✓]*"reason":"params_mismatch"/,
  /✓ 200 [^✓]*"authorizes":true,\s*"consumed":true/,
  /✓ 400 [^✓]*"reason":"already_used"/,
  /"approved_by":"policy:small refunds"/,
  /"code":"policy_violation"/,
  /"code":"agent_paused"/,
  /"code":"AGENT_PAUSED"/,
  /"reason":"agent_paused"/,
  /"valid":true,\s*"count":\d+/,
  /✓ the gate stopped in \d+ ms with exit code 0/,
  /✓ genuine: approved by owner@localhost/,
  /✓ refused: tampered/,
  /Every answer was the expected one/,
];

let temporary: string;
beforeEach(() => {
  temporary = mkdtempSync(join(tmpdir(), 'permitry-demo-test-'));
});
afterEach(() => rmSync(temporary, { recursive: true, force: true }));

interface RunningDemo {
  child: ChildProcess;
  said(): string;
  ended: Promise<{ exitCode: number | null; said: string }>;
}

function startDemo(env: Record<string, string>, args: readonly string[] = []): RunningDemo {
  const child = spawn(process.execPath, ['examples/demo/demo.ts', ...args], {
    cwd: ROOT,
    // A setting in the environment must not reach the demo's own gate.
    env: { ...process.env, FORCE_COLOR: '0', PERMITRY_PORT: 'not a port', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const ended = once(child, 'close').then(([exitCode]) => ({ exitCode: exitCode as number | null, said }));
  return { child, said: () => said, ended };
}

/** The processes of the gate and of the agent, when the story has begun. */
async function waitForPids(demo: RunningDemo): Promise<number[]> {
  await expect.poll(demo.said, { interval: 10 }).toContain('1. The agent wants');
  return [...demo.said().matchAll(/process (\d+)/g)].map(([, pid]) => Number(pid));
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

describe('the demo', () => {
  test.each(['--help', '-h'])('explains itself with %s, and runs nothing', async (flag) => {
    const { exitCode, said } = await startDemo({ TMPDIR: temporary }, [flag]).ended;
    expect(exitCode).toBe(0);
    expect(said).toMatch(/^Usage: npm run demo\n/);
    expect(said).not.toContain('process');
    expect(readdirSync(temporary)).toEqual([]);
  });

  test('refuses an unknown argument, and runs nothing', async () => {
    const { exitCode, said } = await startDemo({ TMPDIR: temporary }, ['--port']).ended;
    expect([exitCode, said]).toEqual([2, '']);
    expect(readdirSync(temporary)).toEqual([]);
  });

  test('tells its story in order, ends with 0 and leaves nothing behind', async () => {
    const { exitCode, said } = await startDemo({ TMPDIR: temporary }).ended;
    let rest = said;
    for (const line of KEY_LINES) {
      const found = line.exec(rest);
      expect(found, `${line} is missing in what is left of the story:\n${rest}`).not.toBeNull();
      rest = rest.slice((found?.index ?? 0) + (found?.[0].length ?? 0));
    }
    expect(exitCode).toBe(0);
    expect(said).not.toContain('\u001b[');
    expect(said).not.toMatch(/prm_(agent|secret|verify)_/);
    expect(said).not.toMatch(/eyJ[\w-]{40}/);
    expect(readdirSync(temporary)).toEqual([]);
  });

  test('ends its processes and removes its files when interrupted', async () => {
    const demo = startDemo({ TMPDIR: temporary });
    const pids = await waitForPids(demo);
    demo.child.kill('SIGINT');
    expect((await demo.ended).exitCode).toBe(130);
    expect(pids.filter(isRunning)).toEqual([]);
    expect(readdirSync(temporary)).toEqual([]);
  });

  test('ends with 1 when the gate dies in the middle', async () => {
    const demo = startDemo({ TMPDIR: temporary });
    const [gate = 0, agent = 0] = await waitForPids(demo);
    process.kill(gate, 'SIGKILL');
    const { exitCode, said } = await demo.ended;
    expect(said).toContain('The demo stopped');
    expect(exitCode).toBe(1);
    expect(isRunning(agent)).toBe(false);
    expect(readdirSync(temporary)).toEqual([]);
  });

  test('stops at an unexpected answer', () => {
    const narrator = new Narrator();
    const exchange = {
      who: 'payments',
      method: 'POST',
      path: '/v1/permits/validate',
      status: 200,
      answer: { authorizes: true },
      milliseconds: 1,
    };
    expect(() => narrator.tell(exchange, { status: 200, properties: { authorizes: true } })).not.toThrow();
    expect(() => narrator.tell(exchange, { status: 400, properties: {} })).toThrow(UnexpectedAnswerError);
    expect(() =>
      narrator.tell(exchange, { status: 200, properties: { 'error.code': 'permit_invalid' } }),
    ).toThrow('error.code must be "permit_invalid"');
  });
});
