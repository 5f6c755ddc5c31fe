/** A separate file system in memory that can be filled to the last page and emptied again (needs root and mount). */
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface SmallDisk {
  path: string;
  fill(): void;
  empty(): void;
  remove(): void;
}

/** Returns an Error, without throwing, if mounting is not allowed. */
export function mountTmpfs(folder: string, megabytes: number): SmallDisk | Error {
  const path = join(folder, 'disk');
  mkdirSync(path);
  const args = ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'permitry-faults', path];
  const mounted = spawnSync('mount', args, { encoding: 'utf8' });
  if (mounted.status !== 0)
    return new Error(mounted.stderr?.trim() || mounted.error?.message || 'mount failed');
  const filler = join(path, 'filler');
  return {
    path,
    fill() {
      // Fills the disk to the last page, even while other processes use some pages.
      for (let free = 1; free > 0; free = statfsSync(path).bfree) fillWhatIsFree(path, filler);
    },
    empty: () => rmSync(filler, { force: true }),
    remove: () => spawnSync('umount', ['-l', path]),
  };
}

function fillWhatIsFree(disk: string, filler: string): void {
  const { bfree, bsize } = statfsSync(disk);
  try {
    writeFileSync(filler, Buffer.alloc(bfree * bsize, 1), { flag: 'a' });
  } catch {
    // The disk was full before everything was written, which was the aim.
  }
}
