/** The built dashboard, read once into memory. Requests reach no file outside it. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';

/** Resolved as a package, so that the gate finds the same dashboard wherever it is installed. */
const DASHBOARD = createRequire(import.meta.url).resolve('@permitry/dashboard/package.json');
const DIST = join(dirname(DASHBOARD), 'dist');

const TYPES: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  png: 'image/png',
  svg: 'image/svg+xml; charset=utf-8',
  webmanifest: 'application/manifest+json; charset=utf-8',
};

export interface BuiltFile {
  type: string;
  etag: string;
  plain: Buffer;
  /** The compressed form from the build. Undefined for a file that is small or does not shrink. */
  br: Buffer | undefined;
  gzip: Buffer | undefined;
}

export interface BuiltPages {
  index: BuiltFile;
  /** By name, e.g. `assets/index-BS4MItam.js`. */
  files: ReadonlyMap<string, BuiltFile>;
}

/** Undefined when the dashboard was not built. */
export function readBuiltPages(folder = DIST): BuiltPages | undefined {
  const bytes = new Map(listFiles(folder).map((name) => [name, readFileSync(join(folder, name))]));
  const files = new Map<string, BuiltFile>();
  for (const [name, plain] of bytes) {
    const type = TYPES[name.split('.').at(-1) ?? ''];
    // Skips compressed forms, which belong to another file, and unknown types, which are not served.
    if (type === undefined) continue;
    const etag = `"${createHash('sha256').update(plain).digest('base64url').slice(0, 22)}"`;
    files.set(name, { type, etag, plain, br: bytes.get(`${name}.br`), gzip: bytes.get(`${name}.gz`) });
  }
  const index = files.get('index.html');
  return index && { index, files };
}

function listFiles(folder: string): string[] {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => relative(folder, join(entry.parentPath, entry.name)).replaceAll('\\', '/'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
