/** The commands behind `npm run` refuse what they do not understand as `permitry` does: a sentence, and exit code 2. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..');

function run(command: string, args: readonly string[]): Promise<{ code: number; said: string }> {
  return new Promise((resolve) => {
    execFile(command, args, { cwd: ROOT }, (error, stdout, stderr) => {
      resolve({ code: error ? Number(error.code) : 0, said: stdout + stderr });
    });
  });
}

const TOOLS = [
  'attack/attack.ts',
  'bench/bench.ts',
  'bench/hot-spots.ts',
  'bench/simulate.ts',
  'scripts/pack.ts',
  'scripts/try-examples.ts',
  'test/faults/faults.ts',
];

describe.each(TOOLS)('%s', (tool) => {
  test('refuses an unknown option', async () => {
    const { code, said } = await run(process.execPath, [tool, '--bogus']);
    expect(code).toBe(2);
    expect(said).toContain("'--bogus'");
    expect(said).not.toMatch(/^ {4}at /m);
  });

  test('has --help', async () => {
    expect(await run(process.execPath, [tool, '--help'])).toMatchObject({
      code: 0,
      said: expect.stringContaining('npm run '),
    });
  });
});

test('a profile that is not there is a usage error', async () => {
  const missing = await run(process.execPath, ['bench/hot-spots.ts', '/nowhere']);
  expect(missing).toEqual({ code: 2, said: 'there is no /nowhere\n' });
});

test('a list of attacks may be read in part', async () => {
  const { said } = await run('sh', ['-c', `'${process.execPath}' attack/attack.ts --list | head -n 1`]);
  expect(said.trimEnd().split('\n')).toHaveLength(1);
});
