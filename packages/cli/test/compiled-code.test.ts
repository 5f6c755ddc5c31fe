/** Where the command keeps what Node compiled: what lies there is run at the next start. */
import { spawn } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { BIN, cleanEnvironment, finished, freshDirectory } from './fixtures/permitry.ts';

/** The command as it is installed, around a program that only says where compiled code is kept. */
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

test('compiled code is kept beside what is installed, for its owner alone, and not where anybody may write', async () => {
  const { installed, temporary, run } = install();
  const kept = join(installed, 'node_modules/.cache/compiled');
  expect(dirname(await run())).toBe(kept);
  expect(readdirSync(kept)).toHaveLength(1);
  expect(statSync(kept).mode & 0o777).toBe(0o700);
  expect(readdirSync(temporary)).toEqual([]);
});

test('compiled code is not kept where the folder cannot be written', async () => {
  const { installed, temporary, run } = install();
  writeFileSync(join(installed, 'node_modules'), 'no folder');
  expect(await run()).toBe('nowhere');
  expect(readdirSync(temporary)).toEqual([]);
});

test('compiled code is kept where NODE_COMPILE_CACHE says, and nothing beside what is installed', async () => {
  const { installed, temporary, run } = install();
  const named = join(temporary, 'named');
  expect(dirname(await run({ NODE_COMPILE_CACHE: named }))).toBe(named);
  expect(readdirSync(installed)).not.toContain('node_modules');
});
