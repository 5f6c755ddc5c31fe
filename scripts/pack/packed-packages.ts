/** Owns `build/packages`: the tarballs of the current sources. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { buildDashboard } from '../../packages/dashboard/test/fixtures/build-dashboard.ts';
import { makeAlone, makeWhenStale } from './make-when-stale.ts';
import { type PackedPackage, packPackages, tarballName } from './pack-packages.ts';
import { FOLDERS, ROOT, readManifest } from './published-packages.ts';

const FOLDER = join(ROOT, 'build', 'packages');
const LOCK = join(ROOT, 'build', 'packages.lock');

/** Packs the packages, even if current tarballs exist. */
export async function packAgain(): Promise<PackedPackage[]> {
  let packed: PackedPackage[] = [];
  await buildDashboard();
  mkdirSync(join(ROOT, 'build'), { recursive: true });
  const make = async () => {
    packed = await packPackages(FOLDER);
  };
  await makeAlone({ lock: LOCK, make });
  return packed;
}

/** The tarballs by package name. If a source is newer, the packages are packed again. */
export async function packedPackages(): Promise<Map<string, string>> {
  const tarballs = new Map(
    FOLDERS.map(readManifest).map((manifest) => [manifest.name, join(FOLDER, tarballName(manifest))]),
  );
  await buildDashboard();
  mkdirSync(join(ROOT, 'build'), { recursive: true });
  await makeWhenStale({
    made: [...tarballs.values()],
    sources: [
      ...FOLDERS.flatMap((folder) =>
        ['src', 'bin', 'package.json', 'README.md'].map((name) => join(ROOT, 'packages', folder, name)),
      ),
      join(ROOT, 'packages/dashboard/dist/index.html'),
      join(ROOT, 'scripts/pack'),
    ],
    lock: LOCK,
    make: async () => {
      await packPackages(FOLDER);
    },
  });
  return tarballs;
}
