/** The drill of docs/backup.md, pasted into a shell as it stands there, against a gate that serves. */
import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findFreePort } from '../packages/server/test/fixtures/free-port.ts';

const ROOT = join(import.meta.dirname, '..');
const PERMITRY = join(ROOT, 'packages/cli/bin/permitry.js');
const DRILL = readFileSync(join(ROOT, 'docs/backup.md'), 'utf8').split('## The drill')[1] ?? '';
const BLOCKS = [...DRILL.matchAll(/```bash\n(.*?)```/gs)].map(([, block]) => block ?? '');
const TOOLS = ['bash', 'curl', 'grep', 'sed', 'head', 'cut', 'sha256sum'];
const isMissing = (tool: string): boolean => spawnSync(tool, ['--version']).error !== undefined;

/** Stands for npx: the program itself, without the second that npx takes each time. */
const NPX = `#!/bin/sh\nshift\nexec '${process.execPath}' '${PERMITRY}' "$@"\n`;

let folder: string;
let server: ChildProcess;
let keys: Record<string, string>;
let url: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'permitry-drill-'));
  mkdirSync(join(folder, 'bin'));
  writeFileSync(join(folder, 'bin/npx'), NPX, { mode: 0o755 });
  const args = ['serve', '--data', join(folder, 'data'), '--port', '0', '--json'];
  server = spawn(process.execPath, [PERMITRY, ...args], {
    env: { ...process.env, PERMITRY_LOG_LEVEL: 'silent' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(server.stdout ?? server, 'data')) as [Buffer];
  const said = JSON.parse(line.toString()) as { base_url: string; credentials_file: string };
  url = said.base_url;
  keys = JSON.parse(readFileSync(said.credentials_file, 'utf8')) as Record<string, string>;
});

afterAll(async () => {
  const ended = once(server, 'exit');
  server.kill('SIGTERM');
  await ended;
  rmSync(folder, { recursive: true, force: true });
});

async function post(
  path: string,
  key: string | undefined,
  body: object,
): Promise<{ id: string; permit: { token: string } }> {
  const response = await fetch(`${url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return (await response.json()) as { id: string; permit: { token: string } };
}

/** An approval that nobody used. */
async function anApproval(): Promise<string> {
  const refund = { action: 'payments.refund', params: { order: 'A-1001', amount: 120 } };
  const { id } = await post('/v1/intents', keys.agent_key, refund);
  return (await post(`/v1/intents/${id}/approve`, keys.secret_key, {})).permit.token;
}

test.skipIf(TOOLS.some(isMissing))('the drill works as pasted, and shows what it promises', async () => {
  expect(BLOCKS).toHaveLength(7);
  const [makeBackup = '', ...afterTheLoss] = BLOCKS;
  const oldPermit = await anApproval();
  const env = {
    PATH: `${join(folder, 'bin')}:${process.env.PATH}`,
    PERMITRY_LOG_LEVEL: 'silent',
    DATA: join(folder, 'data'),
    BASE_URL: url,
    OLD_PERMIT: oldPermit,
    PORT: String(await findFreePort()),
  };
  const run = (script: string) =>
    promisify(execFile)(
      'bash',
      ['--norc', '-c', `set -e\ntrap 'kill $SERVER 2> /dev/null || true' EXIT\n${script}`],
      {
        env,
        cwd: folder,
      },
    );
  const made = await run(`${makeBackup}\necho "$DIGEST"`);
  expect(made.stdout).toContain('encrypted to a public key');
  const digest = made.stdout.trim().split('\n').at(-1);
  await anApproval();

  const { stdout } = await run(`DIGEST=${digest}\n${afterTheLoss.join('\n')}`);
  expect(stdout).toMatch(/valid {2}gate\.backup/);
  expect(stdout).toMatch(/lacks \d+ records? after \d+ that the head of --since knew/);
  expect(stdout).toMatch(/Restored gate\.backup into \.\/restored/);
  expect(stdout).toContain('1 unused approval taken back');
  expect(stdout).toContain('Ended 3 keys');
  expect(stdout).toMatch(/"code":"permit_invalid".*"reason":"revoked"/);
  expect(stdout).toMatch(/"authorizes":true.*"consumed":true/s);
  expect(stdout).toMatch(/valid {2}restored\.jsonl/);
  expect(stdout).toMatch(/INVALID {2}restored\.jsonl.*Record \d+ tells of a restore from a backup/s);
  expect(stdout.trim()).toMatch(/another history, as expected$/);
});
