/**
 * Every test file belongs to one project. Some everyday files also run on PostgreSQL. `npm test` and `npm run
 * test:release` together run all projects, and none twice.
 */
import { globSync, readFileSync } from 'node:fs';
import { join, matchesGlob } from 'node:path';
import { expect, test } from 'vitest';
import config from '../vitest.config.ts';

interface Project {
  test: { name: string; include?: string[]; exclude?: string[] };
}

const ROOT = join(import.meta.dirname, '..');
const PROJECTS = (config.test?.projects ?? []) as Project[];
const FILES = globSync('**/*.test.*', {
  cwd: ROOT,
  exclude: (path) => /(^|\/)(node_modules|dist|build)$/.test(path),
});

const fits = (file: string, patterns: readonly string[] = []) =>
  patterns.some((pattern) => matchesGlob(file, pattern));

function projectsOf(file: string): string[] {
  return PROJECTS.filter(({ test: { include, exclude } }) => fits(file, include) && !fits(file, exclude)).map(
    ({ test: { name } }) => name,
  );
}

test('every test file belongs to one project, and some of the everyday ones also run on PostgreSQL', () => {
  expect(FILES.length).toBeGreaterThan(300);
  const places = FILES.map((file) => `${file}: ${projectsOf(file).join(' and ')}`);
  expect(places.filter((place) => !/: (everyday and postgres|[\w-]+)$/.test(place))).toEqual([]);
});

test('every pattern of the configuration matches a file', () => {
  const patterns = new Set(
    PROJECTS.flatMap(({ test: { include = [], exclude = [] } }) => [...include, ...exclude]),
  );
  expect([...patterns].filter((pattern) => !FILES.some((file) => fits(file, [pattern])))).toEqual([]);
});

test('the two commands together run all projects, and none twice', () => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  expect(scripts.test).toMatch(/ vitest run --project 'everyday\*'$/);
  expect(scripts['test:release']).toBe("vitest run --project '!everyday*'");
});
