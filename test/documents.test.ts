/** Documents must use correct names: every link has a target, and every named file exists. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { SETTING_NAMES } from '../packages/server/src/config.ts';
import { findUnknown, withoutServiceLinks } from '../packages/server/src/settings/unknown-settings.ts';

const ROOT = join(import.meta.dirname, '..');
const DOCUMENTS = globSync(['*.md', 'docs/**/*.md', 'packages/*/README.md'], { cwd: ROOT });

/**
 * Matches `packages/server/src/main.ts`, `test/adversarial` and `examples/demo/demo.ts`, but not
 * `docs/decisions/NNNN-….md`.
 */
const NAMED_PATH = /`((?:packages|attack|test|docs|examples|bench|scripts)\/[\w./@-]+)`/g;

describe.each(DOCUMENTS)('%s', (name) => {
  const text = readFileSync(join(ROOT, name), 'utf8');

  test('has only links to existing documents', () => {
    const targets = [...text.matchAll(/\]\((?!https?:)([^)#]+)/g)].map(([, target]) => target ?? '');
    expect(targets.filter((target) => !existsSync(join(ROOT, dirname(name), target)))).toEqual([]);
  });

  test('names only existing files', () => {
    const paths = [...text.matchAll(NAMED_PATH)].map(([, path]) => path ?? '');
    expect(paths.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });
});

test('the vocabulary says where each word is defined', () => {
  const rows = readFileSync(join(ROOT, 'docs/vocabulary.md'), 'utf8').matchAll(/\| ([\w./-]+\.ts) \|$/gm);
  const paths = [...rows].map(([, path]) => path ?? '');
  expect(paths.length).toBeGreaterThan(40);
  expect(paths.filter((path) => !existsSync(join(ROOT, 'packages/server/src', path)))).toEqual([]);
});

test('every decision says whether it is current, and the list of decisions says the same', () => {
  const list = readFileSync(join(ROOT, 'docs/decisions/README.md'), 'utf8');
  const pages = globSync('docs/decisions/0*.md', { cwd: ROOT });
  expect(pages.length).toBeGreaterThan(60);
  for (const page of pages) {
    const [title = '', , status = ''] = readFileSync(join(ROOT, page), 'utf8').split('\n');
    const [, number, decision] = /^# (\d{4}) (.+)$/.exec(title) ?? [];
    const [, state = '', by = ''] = /^Status: (current|replaced|in part replaced)\b(.*)/.exec(status) ?? [];
    const row = `| [${number}](${basename(page)}) | ${decision} | `;
    expect(list, page).toContain(row);
    const said = list.slice(list.indexOf(row) + row.length).split(' |')[0];
    const replacedBy = state === 'current' ? [] : (by.match(/(?<=\[)\d{4}(?=\])/g) ?? ['a page']);
    expect(said, page).toBe([state, replacedBy.join(' and ')].filter(Boolean).join(' by '));
  }
});

/** `PERMITRY_PKCS11_…`, which represents several variables, does not match. */
const NAMED_VARIABLE = /\bPERMITRY_[A-Z0-9_]*[A-Z0-9]\b/g;

test('every PERMITRY_ variable that is named anywhere is a setting, or known to belong to something else', () => {
  const files = globSync(
    [
      '{attack,bench,examples,packaging,scripts}/**/*.*',
      'packages/*/{src,bin}/**/*.*',
      'packages/*/*.json',
      '{*.md,*.json,*.yaml,*.ts,Dockerfile}',
      'docs/**/*.md',
    ],
    { cwd: ROOT, exclude: (path) => path.includes('node_modules') },
  ).filter((path) => !path.endsWith('.test.ts'));
  const named = new Set(
    files.flatMap((path) => readFileSync(join(ROOT, path), 'utf8').match(NAMED_VARIABLE) ?? []),
  );
  expect(named.size).toBeGreaterThan(30);
  const env = withoutServiceLinks(Object.fromEntries([...named].map((name) => [name, ''])));
  expect(findUnknown(env, SETTING_NAMES)).toEqual([]);
});

test('there are documents to check', () => {
  expect(DOCUMENTS).toContain('README.md');
  expect(DOCUMENTS).toContain('docs/architecture.md');
});
