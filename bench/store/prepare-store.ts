/** Seeded stores: created once, kept while they are usable, and copied for each run, which changes them. */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { MIGRATIONS } from '../../packages/server/src/storage/migrations/migrations.ts';
import { type Manifest, readManifest } from './manifest.ts';

/** A copy that belongs to one run. */
export interface Store {
  directory: string;
  manifest: Manifest;
}

/** The pending intents of a store expire ten days after its creation, and the benchmark approves them. */
const GOOD_FOR_MS = 8 * 24 * 3600 * 1000;

/** Not the system's temporary directory, which is often in memory, where an fsync costs nothing. */
export const DEFAULT_STORE_DIR = resolve(import.meta.dirname, '../../node_modules/.cache/permitry-bench');

/** Seeds a store with this many intents unless there is a usable one. Returns its path. */
export function prepareStore(count: number, storeDir: string): string {
  const directory = join(storeDir, `${count}-${schemaHash()}`);
  if (isGood(directory)) return directory;
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { recursive: true });
  const program = join(import.meta.dirname, 'seed-program.ts');
  const { status } = spawnSync(process.execPath, [program, directory, String(count)], { stdio: 'inherit' });
  if (status !== 0) throw new Error(`seeding ${count} intents failed`);
  return directory;
}

/**
 * Copies a store for one run. Waits until the copy is on the disk, so that no write-back happens during a measurement.
 */
export function copyStore(template: string, directory: string): Store {
  mkdirSync(directory, { recursive: true });
  for (const command of [
    ['cp', '-r', '--reflink=auto', `${template}/.`, directory],
    ['sync', '-f', directory],
  ]) {
    const [program = '', ...args] = command;
    if (spawnSync(program, args, { stdio: 'inherit' }).status !== 0) throw new Error(`${program} failed`);
  }
  return { directory, manifest: readManifest(directory) };
}

function isGood(directory: string): boolean {
  if (!existsSync(join(directory, 'manifest.json'))) return false;
  return Date.now() - Date.parse(readManifest(directory).seededAt) < GOOD_FOR_MS;
}

const SEEDED_BY = ['seed-program.ts', 'lay-out.ts', 'history.ts', '../workload.ts'];

/** Changes with the schema, the seed data and the policy. */
function schemaHash(): string {
  const hash = createHash('sha256').update(JSON.stringify(MIGRATIONS));
  for (const file of SEEDED_BY) hash.update(readFileSync(join(import.meta.dirname, file)));
  return hash.digest('hex').slice(0, 12);
}
