import { execFile } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { packedPackages } from './packed-packages.ts';
import { FOLDERS, ROOT, readManifest } from './published-packages.ts';

interface Lock {
  packages: Record<string, { link?: boolean }>;
}

/**
 * Runs `npm install` in a folder, with the packed packages in its package.json and those in `names`. All other packages
 * have the versions in this repository's lockfile. `npm ci` has left those in npm's cache, so no network is needed.
 */
export async function installPackages(folder: string, names: readonly string[] = []): Promise<void> {
  const packed = await packedPackages();
  const path = join(folder, 'package.json');
  const manifest = existsSync(path)
    ? JSON.parse(readFileSync(path, 'utf8'))
    : { name: 'empty', private: true };
  const asked = [...packed.keys()].filter((name) => names.includes(name) || manifest.dependencies?.[name]);
  manifest.dependencies = {
    ...manifest.dependencies,
    ...Object.fromEntries(withTheirs(asked).map((name) => [name, `file:${packed.get(name)}`])),
  };
  writeFileSync(path, `${JSON.stringify(manifest, null, 2)}\n`);
  lendLockfile(folder);
  // npm removes packages again if nothing in the folder depends on them.
  const flags = ['--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error'];
  await promisify(execFile)('npm', ['install', ...flags], { cwd: folder });
}

/** The packages, and our other packages on which they depend, which no registry has yet. */
function withTheirs(names: readonly string[]): string[] {
  const found = new Set(names);
  const manifests = FOLDERS.map(readManifest);
  for (const name of found) {
    const { dependencies = {} } = manifests.find((manifest) => manifest.name === name) ?? {};
    for (const { name: ours } of manifests) if (dependencies[ours] !== undefined) found.add(ours);
  }
  return [...found];
}

/**
 * Writes a lockfile into a folder. Its versions are those of this repository's lockfile, which `npm ci` has left in
 * npm's cache.
 */
export function lendLockfile(folder: string): void {
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as object;
  const lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as Lock;
  const others = Object.entries(lock.packages).filter(
    ([place, { link }]) => place.startsWith('node_modules/') && !link,
  );
  const packages = { '': manifest, ...Object.fromEntries(others) };
  writeFileSync(
    join(folder, 'package-lock.json'),
    JSON.stringify({ lockfileVersion: 3, requires: true, packages }),
  );
}
