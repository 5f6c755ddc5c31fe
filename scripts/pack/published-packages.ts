/** The published packages, in the order of their dependencies. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export const ROOT = join(import.meta.dirname, '..', '..');

/**
 * How to make the published form. `files`: one JavaScript file per source. `bundle`: one file per entry, including
 * everything that is not a dependency. `pages`: the dashboard's build in `dist`.
 */
export type Form = 'files' | 'bundle' | 'pages';

/** By folder of `packages/`. */
export const PUBLISHED = {
  protocol: 'files',
  sdk: 'bundle',
  dashboard: 'pages',
  pkcs11: 'files',
  server: 'files',
  cli: 'files',
} as const satisfies Record<string, Form>;

export type PublishedFolder = keyof typeof PUBLISHED;

export const FOLDERS = Object.keys(PUBLISHED) as PublishedFolder[];

export function foldersOf(form: Form): PublishedFolder[] {
  return FOLDERS.filter((folder) => PUBLISHED[folder] === form);
}

/** The parts of a package.json that are read here. */
export interface Manifest {
  name: string;
  version: string;
  description: string;
  license: string;
  type: string;
  engines: { node: string };
  bin?: Record<string, string>;
  exports?: Record<string, string>;
  imports?: Record<string, Record<string, string>>;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
  peerDependenciesMeta?: Record<string, { optional: boolean }>;
}

export function readManifest(folder: PublishedFolder): Manifest {
  return JSON.parse(readFileSync(join(ROOT, 'packages', folder, 'package.json'), 'utf8')) as Manifest;
}

/** The sources that others may import: the targets of `exports` and `imports`, relative to the package's folder. */
export function entriesOf({ exports = {}, imports = {} }: Manifest): string[] {
  const targets = [...Object.values(exports), ...Object.values(imports).flatMap((of) => Object.values(of))];
  return targets.filter((target) => target.startsWith('./src/')).map((target) => target.slice(2));
}
