import { accessSync, constants, existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Config } from '../../config.ts';
import { findOpenDirectory } from '../../files/find-open-directory.ts';
import { type Finding, findingsOr, problem, warning } from './finding.ts';

const MEBIBYTE = 1024 * 1024;
const NEEDED_BYTES = 64 * MEBIBYTE;
const WANTED_BYTES = 1024 * MEBIBYTE;

/**
 * Checks who may write to the data directory, and its free space. @throws the system's error if this user may not write
 */
export function checkDisk(
  { dataDir, databaseUrl }: Pick<Config, 'dataDir' | 'databaseUrl'>,
  freeBytes: (directory: string) => number,
): readonly Finding[] {
  if (databaseUrl && !existsSync(dataDir)) {
    return [
      warning(
        'disk',
        `${dataDir} does not exist, so this gate cannot notice that the database was restored. Create it, or set PERMITRY_DATA to another.`,
      ),
    ];
  }
  const folder = nearest(dataDir);
  accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
  const findings: Finding[] = [];
  const open = findOpenDirectory(dataDir);
  if (open !== undefined) findings.push(warning('disk', open));
  const free = freeBytes(folder);
  const has = `${Math.floor(free / MEBIBYTE)} MiB are free for ${dataDir}`;
  if (free < WANTED_BYTES && !databaseUrl) {
    const found = free < NEEDED_BYTES ? problem : warning;
    findings.push(found('disk', `${has}; make room: a gate whose disk is full refuses every change.`));
  }
  return findingsOr(findings, 'disk', `${has}.`);
}

/** The nearest existing folder: the directory itself, or the folder in which it would be created. */
function nearest(directory: string): string {
  const path = resolve(directory);
  return existsSync(path) || dirname(path) === path ? path : nearest(dirname(path));
}
