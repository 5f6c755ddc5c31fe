/** Lists the sources and their imports. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';

export interface Import {
  /** As written. */
  specifier: string;
  /** The imported file, relative to the root. Undefined for packages. */
  file: string | undefined;
  /** `import type` or `export type`: the import does not exist at run time. */
  typeOnly: boolean;
}

const IMPORT =
  /^\s*(?:import|export)\b(\s+type\b)?[^;'"]*?from\s+'([^']+)'|\bimport\(\s*'([^']+)'\s*\)|^import\s+'([^']+)'/gm;

/** TypeScript files in the folder and below, relative to the root, without tests. */
export function listSources(root: string, folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name) && !/\.test\.tsx?$/.test(entry.name))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .sort();
}

export function importsOf(root: string, file: string): Import[] {
  const found = readFileSync(join(root, file), 'utf8').matchAll(IMPORT);
  return [...found].map(([, type, from, dynamic, bare]) => {
    const specifier = from ?? dynamic ?? bare ?? '';
    return {
      specifier,
      file: specifier.startsWith('.') ? normalize(join(dirname(file), specifier)) : undefined,
      typeOnly: type !== undefined,
    };
  });
}
