/** Makes the published form of our packages: the content of a tarball, and the checks before. */
import { execFile } from 'node:child_process';
import { cp, glob, mkdir, mkdtemp, readFile, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { bundleEntries } from './bundle-entries.ts';
import { checkPackage } from './check-package.ts';
import { emitFiles } from './emit-files.ts';
import { publishedManifest } from './published-manifest.ts';
import {
  FOLDERS,
  foldersOf,
  PUBLISHED,
  type PublishedFolder,
  ROOT,
  readManifest,
} from './published-packages.ts';

const run = promisify(execFile);

export interface PackedPackage {
  name: string;
  version: string;
  /** Path of the tarball. */
  path: string;
  bytes: number;
  /** The files in the tarball. */
  files: readonly string[];
}

/**
 * Makes an installable tarball of every published package in `folder`, replacing older ones. The dashboard must have
 * been built.
 *
 * @throws Error that says what in a package could not be published.
 */
export async function packPackages(folder: string): Promise<PackedPackage[]> {
  await mkdir(folder, { recursive: true });
  const stages = await mkdtemp(join(folder, '.stages-'));
  try {
    return await packInto(folder, stages);
  } finally {
    await rm(stages, { recursive: true, force: true });
  }
}

async function packInto(folder: string, stages: string): Promise<PackedPackage[]> {
  const began = new Date();
  await Promise.all([
    emitFiles(foldersOf('files'), stages),
    ...foldersOf('bundle').map((each) => bundleEntries(each, stages)),
    ...foldersOf('pages').map((each) => copyPages(each, stages)),
  ]);
  await Promise.all(FOLDERS.map((each) => complete(each, join(stages, each))));
  const packed = await makeTarballs(stages, folder);
  const problems = await Promise.all(
    packed.map(async ({ name, files }, at) => {
      const found = await checkPackage(join(stages, FOLDERS[at] ?? ''), files);
      return found.map((problem) => `${name}: ${problem}`);
    }),
  );
  if (problems.flat().length > 0) throw new Error(problems.flat().join('\n'));
  // Replaces the old tarballs one by one, so that an installation at the same time finds only complete tarballs.
  for (const { path } of packed) {
    const made = join(stages, basename(path));
    // Sets the time of the build's start, so that a source saved during the build is newer than the results.
    await utimes(made, began, began);
    await rename(made, path);
  }
  for await (const old of glob('permitry-*.tgz', { cwd: folder })) {
    if (!packed.some(({ path }) => path === join(folder, old))) await rm(join(folder, old));
  }
  return packed;
}

/** npm's name for the tarball: `permitry-sdk-0.1.0.tgz`. */
export function tarballName({ name, version }: { name: string; version: string }): string {
  return `${name.replace(/^@/, '').replace('/', '-')}-${version}.tgz`;
}

async function copyPages(folder: PublishedFolder, stages: string): Promise<void> {
  const dist = join(stages, folder, 'dist');
  await cp(join(ROOT, 'packages', folder, 'dist'), dist, { recursive: true });
  // The dashboard's build lists the packages that it included.
  await cp(join(dist, 'THIRD-PARTY-NOTICES.md'), join(stages, folder, 'THIRD-PARTY-NOTICES.md'));
  await rm(join(dist, 'THIRD-PARTY-NOTICES.md'));
}

async function complete(folder: PublishedFolder, stage: string): Promise<void> {
  const home = join(ROOT, 'packages', folder);
  const manifest = readManifest(folder);
  const published = publishedManifest(manifest, { isBundled: PUBLISHED[folder] === 'bundle' });
  await writeFile(join(stage, 'package.json'), `${JSON.stringify(published, null, 2)}\n`);
  await cp(join(home, 'README.md'), join(stage, 'README.md'));
  await cp(join(ROOT, 'LICENSE'), join(stage, 'LICENSE'));
  for (const command of Object.values(manifest.bin ?? {})) {
    const text = await readFile(join(home, command), 'utf8');
    await mkdir(join(stage, 'bin'), { recursive: true });
    await writeFile(join(stage, command), text.replace(/'\.\.\/src\/([^']+)\.ts'/g, "'../dist/$1.js'"), {
      mode: 0o755,
    });
  }
}

async function makeTarballs(stages: string, folder: string): Promise<PackedPackage[]> {
  const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', stages];
  const { stdout } = await run('npm', [...args, ...FOLDERS.map((each) => join(stages, each))], {
    maxBuffer: 16 << 20,
  });
  const made = JSON.parse(stdout) as {
    name: string;
    version: string;
    size: number;
    files: { path: string }[];
  }[];
  return made.map(({ name, version, size, files }) => ({
    name,
    version,
    path: join(folder, tarballName({ name, version })),
    bytes: size,
    files: files.map(({ path }) => path),
  }));
}
