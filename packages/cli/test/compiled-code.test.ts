/** Where the command stores compiled code. Node runs it at the next start. */
import { spawn } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { BIN, cleanEnvironment, finished, freshDirectory } from './fixtures/permitry.ts';

/** The installed command, around a program that only prints where compiled code is stored. */
function install() {
  const directory = freshDirectory();
  const bin = join(directory, 'permitry/bin/permitry.js');
  const temporary = join(directory, 'tmp');
  for (const folder of [dirname(bin), join(directory, 'permitry/src'), temporary])
    mkdirSync(folder, { recursive: true });
  copyFileSync(BIN, bin);
  writeFileSync(join(directory, 'permitry/package.json'), '{ "type": "module" }');
  writeFileSync(
    join(directory, 'permitry/src/permitry.ts'),
    `import { getCompileCacheDir } from 'node:module';
     export const bearClosedPipes = () => {};
     export const runPermitry = () => console.log(getCompileCacheDir() ?? 'nowhere');`,
  );
  async function run(env: Record<string, string> = {}): Promise<string> {
    const child = spawn(process.execPath, [bin], { env: cleanEnvironment({ TMPDIR: temporary, ...env }) });
    const { code, stdout, stderr } = await finished(child);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    return stdout.trim();
  }
  return { installed: join(directory, 'permitry'), temporary, run };
}

test('compiled code is stored beside the installed files, where only their owner can write', async () => {
  const { installed, temporary, run } = install();
  const kept = join(installed, 'node_modules/.cache/compiled');
  expect(dirname(await run())).toBe(kept);
  expect(readdirSync(kept)).toHaveLength(1);
  expect(statSync(kept).mode & 0o777).toBe(0o700);
  expect(readdirSync(temporary)).toEqual([]);
});

test('compiled code is not stored if the folder is not writable', async () => {
  const { installed, temporary, run } = install();
  writeFileSync(join(installed, 'node_modules'), 'no folder');
  expect(await run()).toBe('nowhere');
  expect(readdirSync(temporary)).toEqual([]);
});

test('compiled code is stored where NODE_COMPILE_CACHE says, and not beside the installed files', async () => {
  const { installed, temporary, run } = install();
  const named = join(temporary, 'named');
  expect(dirname(await run({ NODE_COMPILE_CACHE: named }))).toBe(named);
  expect(readdirSync(installed)).not.toContain('node_modules');
});
