import { execFile } from 'node:child_process';
import { glob, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { entriesOf, FOLDERS, type PublishedFolder, ROOT, readManifest } from './published-packages.ts';

const PACKAGES = join(ROOT, 'packages');
/** The name of a thread's file, in which the compiler sees no import. */
const THREAD = /new URL\('(\.[^']*)\.ts', import\.meta\.url\)/g;
/** The compiler keeps the ending of the source in declarations. */
const IMPORT_OF_SOURCE = /(\bfrom '|\bimport\('|^import ')(\.[^']*)\.ts'/gm;

/**
 * Writes JavaScript and declarations of packages into `<folder>/<package>/dist`, one file for each source that an
 * entry, a command or a thread reaches. None of these reaches a test. `npm run check:types` checks the types.
 */
export async function emitFiles(folders: readonly PublishedFolder[], into: string): Promise<void> {
  const emitted = join(into, '.emitted');
  const sources = await Promise.all(folders.map(startingPoints));
  await mkdir(emitted, { recursive: true });
  const project = join(emitted, 'tsconfig.json');
  await writeFile(
    project,
    JSON.stringify({
      extends: join(ROOT, 'tsconfig.json'),
      compilerOptions: {
        noEmit: false,
        noCheck: true,
        declaration: true,
        rootDir: PACKAGES,
        outDir: emitted,
        typeRoots: [join(ROOT, 'node_modules/@types')],
        paths: sourcesByName(),
      },
      files: sources.flat(),
      include: [],
    }),
  );
  const tsc = join(ROOT, 'node_modules/@typescript/native/bin/tsc');
  await promisify(execFile)(process.execPath, [tsc, '--project', project]);
  for (const folder of folders) {
    const dist = join(into, folder, 'dist');
    await mkdir(join(into, folder), { recursive: true });
    await rename(join(emitted, folder, 'src'), dist);
    // Without exports, nothing can import the package, so its types are not needed.
    if (readManifest(folder).exports === undefined) {
      for await (const file of glob('**/*.d.ts', { cwd: dist })) await rm(join(dist, file));
    }
    await finish(dist);
  }
  await rm(emitted, { recursive: true });
}

/**
 * Maps our packages' imports of each other to their sources. Through node_modules, the compiler would treat the
 * packages as foreign and omit some of their files, not always the same files.
 */
function sourcesByName(): Record<string, string[]> {
  const named = FOLDERS.map((folder) => ({ folder, ...readManifest(folder) })).flatMap(
    ({ folder, name, exports = {} }) =>
      Object.entries(exports).map(([entry, source]) => [
        name + entry.slice(1),
        [join(PACKAGES, folder, source)],
      ]),
  );
  return Object.fromEntries(named);
}

async function startingPoints(folder: PublishedFolder): Promise<string[]> {
  const home = join(PACKAGES, folder);
  const named = entriesOf(readManifest(folder)).map((entry) => join(home, entry));
  const started: string[] = [];
  for (const command of Object.values(readManifest(folder).bin ?? {})) {
    started.push(...(await sourcesOfCommand(home, command)));
  }
  const threads: string[] = [];
  for await (const file of glob('src/**/*.ts', { cwd: home, exclude: (name) => name.endsWith('.test.ts') })) {
    const text = await readFile(join(home, file), 'utf8');
    for (const [, thread] of text.matchAll(THREAD)) threads.push(join(home, dirname(file), `${thread}.ts`));
  }
  return [...named, ...started, ...threads];
}

/**
 * A command is already JavaScript, so that an old Node can read it. It imports other modules once it has checked Node's
 * version.
 */
async function sourcesOfCommand(home: string, file: string): Promise<string[]> {
  const text = await readFile(join(home, file), 'utf8');
  return [...text.matchAll(/import\('\.\.\/(src\/[^']+)'\)/g)].map(([, source]) => join(home, source ?? ''));
}

async function finish(dist: string): Promise<void> {
  for await (const file of glob('**/*.{js,d.ts}', { cwd: dist })) {
    const path = join(dist, file);
    const text = await readFile(path, 'utf8');
    const finished = file.endsWith('.js')
      ? text.replace(THREAD, "new URL('$1.js', import.meta.url)")
      : text.replace(IMPORT_OF_SOURCE, "$1$2.js'");
    if (finished !== text) await writeFile(path, finished);
  }
}
