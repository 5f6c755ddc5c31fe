/** The commands behind `npm run` refuse unknown arguments as `permitry` does: a sentence, and exit code 2. */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';

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
  'scripts/house.ts',
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

test('a missing profile is a usage error', async () => {
  const missing = await run(process.execPath, ['bench/hot-spots.ts', '/nowhere']);
  expect(missing).toEqual({ code: 2, said: 'there is no /nowhere\n' });
});

test('a gate of three cores is a usage error', async () => {
  const refused = await run(process.execPath, ['bench/bench.ts', '--gate-cores', '3']);
  expect(refused).toEqual({ code: 2, said: '--gate-cores must be 1 or 2\n' });
});

test('the list of attacks can be read in part', async () => {
  const { said } = await run('sh', ['-c', `'${process.execPath}' attack/attack.ts --list | head -n 1`]);
  expect(said.trimEnd().split('\n')).toHaveLength(1);
});

describe('npm run house', () => {
  test('measures rooms, arrows against the order, circles and small files', async () => {
    const checkout = mkdtempSync(join(tmpdir(), 'permitry-house-'));
    onTestFinished(() => rmSync(checkout, { recursive: true }));
    const gate = 'packages/server/src/gate';
    const sources = {
      [`${gate}/access/caller.ts`]: "import '../intents/intent.ts';\n\n// A comment.\nexport const a = 1;\n",
      [`${gate}/intents/intent.ts`]:
        "/**\n * A comment.\n */\nimport { a } from '../access/caller.ts';\nexport const b = a;\n",
      [`${gate}/intents/intent.test.ts`]: "import { b } from './intent.ts';\nb;\n",
      [`${gate}/kernel/ids.ts`]: "import type { a } from '../access/caller.ts';\nexport type C = typeof a;\n",
    };
    for (const [file, text] of Object.entries(sources)) {
      mkdirSync(join(checkout, dirname(file)), { recursive: true });
      writeFileSync(join(checkout, file), text);
    }

    const { code, said } = await run(process.execPath, ['scripts/house.ts', '--json', checkout]);

    expect(code).toBe(0);
    expect(JSON.parse(said)).toEqual({
      rooms: [
        { room: 'packages/server', files: 3, lines: 6 },
        { room: `${gate}/access`, files: 1, lines: 2 },
        { room: `${gate}/intents`, files: 1, lines: 2 },
        { room: `${gate}/kernel`, files: 1, lines: 2 },
      ],
      gate: {
        rooms: 3,
        arrows: 3,
        against: [
          ['access', 'intents'],
          ['kernel', 'access'],
        ],
        exceptions: expect.any(Array),
      },
      circlesOfRooms: [[`${gate}/access`, `${gate}/intents`]],
      circlesOfFiles: [[`${gate}/access/caller.ts`, `${gate}/intents/intent.ts`]],
      smallFiles: [{ file: `${gate}/intents/intent.ts`, lines: 2, importer: `${gate}/access/caller.ts` }],
    });
  });

  test('reports how much code each room has', async () => {
    const { code, said } = await run(process.execPath, ['scripts/house.ts']);
    expect(code).toBe(0);
    expect(said).toMatch(/^ {4}server\/gate\/intents +\d+ +\d+$/m);
    expect(said).toMatch(/^Arrows against the order: \d+$/m);
  });

  test('a missing checkout is a usage error', async () => {
    expect(await run(process.execPath, ['scripts/house.ts', '/nowhere'])).toEqual({
      code: 2,
      said: 'there is no /nowhere/packages\n',
    });
  });
});
