import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';

const SRC = join(import.meta.dirname, '../src');

/** The packages a file loads, by itself and by the files it imports; types and `import()` load nothing at once. */
function packagesLoadedBy(file: string, seen = new Set<string>()): Set<string> {
  if (seen.has(file)) return new Set();
  seen.add(file);
  const imports = readFileSync(file, 'utf8').matchAll(/^import (?!type\b)(?:[^;']*? from )?'([^']+)';/gm);
  const found = [...imports].flatMap(([, specifier = '']) =>
    specifier.startsWith('.') ? [...packagesLoadedBy(join(dirname(file), specifier), seen)] : [specifier],
  );
  return new Set(found.filter((specifier) => !specifier.startsWith('node:')));
}

test.each([
  ['help, versions and usage errors', 'permitry.ts', ['commander', '@permitry/protocol']],
  ['audit verify', 'actions/audit-verify.ts', ['@permitry/protocol']],
  ['receipt verify', 'actions/receipt-verify.ts', ['@permitry/protocol']],
  ['policy check', 'actions/policy-check.ts', ['@permitry/protocol', '@permitry/server/policy', 'yaml']],
])('%s load no server', (_, file, packages) => {
  expect([...packagesLoadedBy(join(SRC, file))].sort()).toEqual(packages.toSorted());
});

test('commands on a data directory load no HTTP', () => {
  expect([...packagesLoadedBy(join(SRC, 'actions/keys.ts'))]).toEqual([
    '@permitry/server',
    '@permitry/protocol',
  ]);
  expect([...packagesLoadedBy(join(SRC, 'actions/serve.ts'))]).toContain('@permitry/server/serve');
});
