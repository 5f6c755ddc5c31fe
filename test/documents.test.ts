/** The documents name true things: every link leads somewhere, every file they name is there. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..');
const DOCUMENTS = globSync(['*.md', 'docs/**/*.md', 'packages/*/README.md'], { cwd: ROOT });

/** `packages/server/src/main.ts`, `test/adversarial`, `examples/demo/demo.ts`; not `docs/decisions/NNNN-….md`. */
const NAMED_PATH = /`((?:packages|attack|test|docs|examples|bench|scripts)\/[\w./@-]+)`/g;

describe.each(DOCUMENTS)('%s', (name) => {
  const text = readFileSync(join(ROOT, name), 'utf8');

  test('leads to documents that exist', () => {
    const targets = [...text.matchAll(/\]\((?!https?:)([^)#]+)/g)].map(([, target]) => target ?? '');
    expect(targets.filter((target) => !existsSync(join(ROOT, dirname(name), target)))).toEqual([]);
  });

  test('names files that exist', () => {
    const paths = [...text.matchAll(NAMED_PATH)].map(([, path]) => path ?? '');
    expect(paths.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });
});

test('the vocabulary names where each word lives', () => {
  const rows = readFileSync(join(ROOT, 'docs/vocabulary.md'), 'utf8').matchAll(/\| ([\w./-]+\.ts) \|$/gm);
  const paths = [...rows].map(([, path]) => path ?? '');
  expect(paths.length).toBeGreaterThan(40);
  expect(paths.filter((path) => !existsSync(join(ROOT, 'packages/server/src', path)))).toEqual([]);
});

test('there are documents to look at', () => {
  expect(DOCUMENTS).toContain('README.md');
  expect(DOCUMENTS).toContain('docs/architecture.md');
});
