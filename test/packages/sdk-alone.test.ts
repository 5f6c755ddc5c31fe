/** The SDK as installed alone, without any other package. */
import { execFile, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { installPackages } from '../../scripts/pack/install-packages.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const run = promisify(execFile);

/** The oldest supported Node, if the system has it; otherwise this one. */
function oldestNode(): string {
  const { stdout } = spawnSync('/usr/bin/node', ['--version'], { encoding: 'utf8' });
  return /^v2\d\./.test(stdout ?? '') ? '/usr/bin/node' : process.execPath;
}

let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'permitry-sdk-alone-'));
  await installPackages(folder, ['@permitry/sdk']);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const inside = (name: string) => join(folder, 'node_modules/@permitry/sdk', name);
const entries = () =>
  Object.keys((JSON.parse(readFileSync(inside('package.json'), 'utf8')) as { exports: object }).exports).map(
    (entry) => `@permitry/sdk${entry.slice(1)}`,
  );

async function runScript(lines: readonly string[]): Promise<unknown> {
  writeFileSync(join(folder, 'script.mjs'), lines.join('\n'));
  const { stdout, stderr } = await run(oldestNode(), ['script.mjs'], { cwd: folder });
  expect(stderr).toBe('');
  return JSON.parse(stdout);
}

async function checkTypes(options: object): Promise<string> {
  const project = {
    compilerOptions: {
      module: 'nodenext',
      target: 'es2022',
      strict: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      skipLibCheck: false,
      noEmit: true,
      ...options,
    },
    files: ['agent.mts'],
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(project));
  const tsc = join(ROOT, 'node_modules/@typescript/native/bin/tsc');
  return run(process.execPath, [tsc, '--project', folder]).then(
    () => '',
    (error: { stdout: string }) => error.stdout,
  );
}

describe('the SDK alone', () => {
  test('has no dependency', () => {
    const names = readdirSync(join(folder, 'node_modules')).filter((name) => !name.startsWith('.'));
    expect(names).toEqual(['@permitry']);
    expect(readdirSync(join(folder, 'node_modules/@permitry'))).toEqual(['sdk']);
  });

  test('loads every entry on the oldest supported Node without any framework', async () => {
    const loaded = await runScript([
      'const loaded = {};',
      ...entries().map((entry) => `loaded['${entry}'] = Object.keys(await import('${entry}')).length > 0;`),
      'console.log(JSON.stringify(loaded));',
    ]);
    expect(loaded).toEqual(Object.fromEntries(entries().map((entry) => [entry, true])));
  });

  test('defines PermitryError once, so that every entry throws and exports the same class', () => {
    const texts = readdirSync(inside('dist'))
      .filter((name) => name.endsWith('.js'))
      .map((name) => readFileSync(inside(join('dist', name)), 'utf8'));
    expect(texts.filter((text) => /class PermitryError\b|PermitryError = class\b/.test(text))).toHaveLength(
      1,
    );
  });

  test('needs nothing of Node that browsers lack', () => {
    for (const name of readdirSync(inside('dist')).filter((each) => /\.(js|d\.ts)$/.test(each))) {
      expect(readFileSync(inside(join('dist', name)), 'utf8'), name).not.toMatch(
        /['"]node:|NodeJS\.|\bBuffer\b\./,
      );
    }
  });

  test('names the packages it includes, with their licences', () => {
    const notices = readFileSync(inside('THIRD-PARTY-NOTICES.md'), 'utf8');
    expect(notices.match(/^## .*/gm)).toEqual([
      expect.stringMatching(/^## @noble\/hashes \d.* \(MIT\)$/),
      expect.stringMatching(/^## canonicalize \d.* \(Apache-2\.0\)$/),
    ]);
  });

  test.each([
    ['in a browser', { lib: ['es2022', 'dom', 'dom.iterable'], types: [] }],
    ['in Node', { lib: ['es2022'], types: ['node'], typeRoots: [join(ROOT, 'node_modules/@types')] }],
  ])('has types that need no other package %s', async (_where, options) => {
    cpSync(join(import.meta.dirname, 'sdk-types.ts.txt'), join(folder, 'agent.mts'));
    expect(await checkTypes(options)).toBe('');
  });

  test('has types that refuse what the gate would refuse', async () => {
    writeFileSync(
      join(folder, 'agent.mts'),
      [
        "import { Permitry } from '@permitry/sdk';",
        'await new Permitry().intents.create({ params: {} });',
        "await new Permitry({ apikey: 'x' });",
        'interface Dated { at: { on: Date }[] }',
        'declare const dated: Dated, unknown: Record<string, unknown>, list: string[];',
        "await new Permitry().intents.create({ action: 'x', params: dated });",
        "await new Permitry().intents.create({ action: 'x', params: unknown });",
        "await new Permitry().intents.create({ action: 'x', params: list });",
        "new Permitry().protect('x', (params: Dated) => params.at);",
        "new Permitry().protect('x', (params: { f(): void }) => params.f);",
      ].join('\n'),
    );
    const said = await checkTypes({ lib: ['es2022', 'dom'], types: [] });
    expect(said).toMatch(/agent\.mts\(2,.*'action'/);
    expect(said).toMatch(/agent\.mts\(3,.*'apikey'/);
    const places = [...said.matchAll(/agent\.mts\((\d+),\d+\): error/g)].map(([, line]) => Number(line));
    expect(places).toEqual([2, 3, 6, 7, 8, 9, 10]);
  });
});
