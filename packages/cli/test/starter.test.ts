import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { BIN, cleanEnvironment, finished, freshDirectory, systemPath } from './fixtures/permitry.ts';

const ROOT = join(import.meta.dirname, '../../..');
/**
 * Starts npm in a separate process group, as a shell or a supervisor would. It uses the system's Node, whatever its
 * version, and none of the variables of the npm that runs these tests.
 */
async function serveBy(command: readonly string[]) {
  const [name = '', ...args] = command;
  const inherited = Object.entries(cleanEnvironment()).filter(([variable]) => !variable.startsWith('npm_'));
  const npm = spawn(name, args, {
    cwd: ROOT,
    detached: true,
    env: {
      ...Object.fromEntries(inherited),
      PATH: systemPath(),
      PERMITRY_DATA: freshDirectory(),
      PERMITRY_PORT: '0',
    },
  });
  const group = npm.pid ?? 0;
  onTestFinished(() => {
    if (isAlive(group)) process.kill(-group, 'SIGKILL');
  });
  let said = '';
  npm.stderr.on('data', (text: Buffer) => {
    said += text.toString();
  });
  const ended = finished(npm);
  await expect.poll(() => said).toContain('SIGTERM stops it');
  const port = Number(/listening on \S+:(\d+)/.exec(said)?.[1]);
  return { npm, group, port, ended };
}

/**
 * Whether any process of the group runs: npm, its shell or the gate. A zombie does not count: in a container it may stay
 * forever.
 */
function isAlive(group: number): boolean {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .some((pid) => {
      const stat = readStat(pid);
      const [state, , processGroup] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      return processGroup === String(group) && state !== 'Z' && state !== 'X';
    });
}

function readStat(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'latin1');
  } catch {
    // It ended after it was listed.
    return '';
  }
}

async function isListening(port: number): Promise<boolean> {
  return fetch(`http://127.0.0.1:${port}/healthz`).then(
    ({ ok }) => ok,
    () => false,
  );
}

/** Without /proc, the gate cannot notice that npm's shell outlived npm. */
test.skipIf(!existsSync('/proc/self/stat')).each([
  ['the launcher', ['node', BIN, 'serve']],
  ['npx', ['npx', '--no-install', 'permitry', 'serve']],
  ['npm start', ['npm', 'start']],
])('a gate started by %s ends when its starter ends, in whatever way', async (_, command) => {
  const signals = ['SIGTERM', 'SIGHUP', 'SIGKILL'] as const;
  await Promise.all(
    signals.map(async (signal) => {
      const { npm, group, port, ended } = await serveBy(command);
      expect(await isListening(port)).toBe(true);
      expect(isAlive(group)).toBe(true);

      npm.kill(signal);

      await expect.poll(() => isAlive(group), { message: signal }).toBe(false);
      expect(await isListening(port)).toBe(false);
      const { stderr } = await ended;
      expect(stderr).not.toContain('before everything was done');
      // If the system's Node is new enough, there is no launcher that could outlive npm.
      if (command[0] !== 'node' || signal === 'SIGTERM') expect(stderr).toContain('stopping');
    }),
  );
});
