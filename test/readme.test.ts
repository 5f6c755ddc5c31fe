/** The README's first permit, pasted unchanged into a shell, against a gate started like `npm start`. */
import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..');
const README = readFileSync(join(ROOT, 'README.md'), 'utf8');
const TOOLS = ['bash', 'curl', 'grep', 'sed', 'head'];
const isMissing = (tool: string): boolean => spawnSync(tool, ['--version']).error !== undefined;

let dataDir: string;
let server: ChildProcess;
let env: Record<string, string | undefined>;

beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'permitry-readme-'));
  const permitry = join(ROOT, 'packages/cli/bin/permitry.js');
  server = spawn(process.execPath, [permitry, 'serve', '--data', dataDir, '--port', '0', '--json'], {
    env: { ...process.env, PERMITRY_LOG_LEVEL: 'silent' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(server.stdout ?? server, 'data')) as [Buffer];
  const { url, credentials_file } = JSON.parse(line.toString()) as { url: string; credentials_file: string };
  const shown = JSON.parse(readFileSync(credentials_file, 'utf8')) as Record<string, string>;
  env = {
    PATH: process.env.PATH,
    BASE_URL: url,
    AGENT_KEY: shown.agent_key,
    SECRET_KEY: shown.secret_key,
    VERIFIER_KEY: shown.verifier_key,
  };
});

afterAll(async () => {
  const ended = once(server, 'exit');
  server.kill('SIGTERM');
  await ended;
  rmSync(dataDir, { recursive: true, force: true });
});

describe('the README', () => {
  test.skipIf(TOOLS.some(isMissing))('has a first permit that works as pasted', async () => {
    const block = /```bash\n(.*?)```/s.exec(README)?.[1] ?? '';
    const { stdout, stderr } = await promisify(execFile)('bash', ['--norc', '-c', block], { env });
    expect(stderr).toBe('');
    const [intent, approved, permit, changed, used, again] = stdout.trim().split('\n');
    expect(intent).toMatch(/^int_[0-9a-z]{26}$/);
    expect(JSON.parse(approved ?? '')).toMatchObject({
      id: intent,
      status: 'approved',
      params: { amount: 120 },
    });
    expect(permit).toMatch(/^eyJ[\w-]+\.[\w-]+\.[\w-]+$/);
    expect(JSON.parse(changed ?? '')).toMatchObject({
      error: { code: 'permit_invalid', reason: 'params_mismatch' },
    });
    expect(JSON.parse(used ?? '')).toMatchObject({ authorizes: true, consumed: true, intent_id: intent });
    expect(JSON.parse(again ?? '')).toMatchObject({
      error: { code: 'permit_invalid', reason: 'already_used' },
    });
  });

  test('needs ten lines of shell for the first permit', () => {
    const block = /```bash\n(.*?)```/s.exec(README)?.[1] ?? '';
    expect(block.trim().split('\n')).toHaveLength(10);
  });

  test('uses the variables that the first start shows', async () => {
    const source = readFileSync(join(ROOT, 'packages/cli/src/first-credentials/curl-lines.ts'), 'utf8');
    for (const name of ['BASE_URL', 'AGENT_KEY', 'SECRET_KEY', 'VERIFIER_KEY']) {
      expect(source).toContain(`${name}=$`);
    }
  });
});
