/** Signing keys in hardware, with the packed packages and one more package that such keys need. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { findSoftHsm, openSoftHsm } from '../../packages/pkcs11/test/soft-hsm.ts';
import { installPackages } from '../../scripts/pack/install-packages.ts';
import { plainEnvironment } from '../../scripts/pack/installed-gate.ts';

const module = findSoftHsm();
const ABSENT = { PERMITRY_PKCS11_MODULE: '/usr/lib/module.so', PERMITRY_PKCS11_PIN: '1234' };

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'permitry-token-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function permitry(settings: Record<string, string>, ...args: string[]) {
  const env = { ...plainEnvironment(), ...settings };
  return promisify(execFile)('npx', ['--no-install', 'permitry', ...args], { cwd: folder, env }).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    ({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => ({
      code,
      stdout,
      stderr,
    }),
  );
}

describe('permitry alone', () => {
  beforeAll(() => installPackages(folder, ['permitry']));

  test('contains no native module for tokens', () => {
    expect(readdirSync(join(folder, 'node_modules/@permitry'))).not.toContain('pkcs11');
    expect(readdirSync(join(folder, 'node_modules'))).not.toContain('koffi');
  });

  test.each([
    ['serve', ['serve', '--port', '0']],
    ['init', ['init', '--mode', 'test']],
    ['serve --check', ['serve', '--check']],
  ])('with a module configured, %s refuses and says what to install', async (_what, args) => {
    await permitry({}, 'init', '--mode', 'test', '--data', 'data');
    const refused = await permitry(ABSENT, ...args, '--data', args[0] === 'init' ? 'new' : 'data');
    expect(refused.code).toBe(1);
    expect(refused.stdout + refused.stderr).toContain('npm install @permitry/pkcs11');
    expect(refused.stdout + refused.stderr).not.toContain('1234');
  });
});

describe.skipIf(module === null)('permitry with @permitry/pkcs11', () => {
  beforeAll(() => installPackages(folder, ['permitry', '@permitry/pkcs11']));

  test('creates its keys in the token', async () => {
    const hsm = openSoftHsm(String(module));
    onTestFinished(() => hsm.remove());
    const made = await permitry(hsm.environment, 'init', '--mode', 'test', '--data', 'hardware');
    expect(made).toMatchObject({ code: 0 });
    const listed = await permitry(hsm.environment, 'signing-keys', 'list', '--data', 'hardware');
    expect(listed.stdout).toContain('token');
  });
});
