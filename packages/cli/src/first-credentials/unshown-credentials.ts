/**
 * Keeps the first keys until they are shown. The database has only their hashes, so a first start that ends early would
 * lose the keys. A file holds the keys from before the commit until they are shown or moved to their own file. When the
 * commit fails, the file names a project that does not exist, and no start reads it.
 */
import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Config, FirstCredentials } from '@permitry/server';
import { refused } from '../command-failure.ts';
import { isObject } from '../is-object.ts';
import { unwritable, writePrivately } from './write-privately.ts';

type GateLocation = Pick<Config, 'dataDir' | 'databaseUrl'>;

/** The file for the gate with this first project: gates in databases may share the directory. */
function pathOf({ dataDir }: GateLocation, projectId: string): string {
  return resolve(join(dataDir, `unshown-credentials-${projectId}.json`));
}

export function keepUnshown(config: GateLocation, credentials: FirstCredentials): void {
  writePrivately(config, pathOf(config, credentials.project_id), credentials);
}

/** The keys of an earlier start that ended too early. Null when there are none. */
export function readUnshown(config: GateLocation, projectId: string): FirstCredentials | null {
  const path = pathOf(config, projectId);
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw refused(
      `The first keys are in ${path}, which cannot be read. Fix its permissions and start again.`,
      'refused',
      error,
    );
  }
  const found: unknown = JSON.parse(text);
  if (isObject(found) && found.project_id === projectId) return found as unknown as FirstCredentials;
  throw refused(`${path} does not hold the first keys of this gate. Move it away.`);
}

/**
 * Moves the keys to the credentials file, which only the gate's own user can read, and returns its path. Null when
 * another start of the same gate has already moved them. For a gate in a directory, an existing file at the usual path
 * is a leftover. For a gate in a database, that file may hold the keys of a gate in the directory.
 */
export function moveToCredentialsFile(
  config: GateLocation,
  { project_id: projectId }: FirstCredentials,
): string | null {
  const { dataDir, databaseUrl } = config;
  const usual = resolve(join(dataDir, 'credentials.json'));
  const path =
    databaseUrl && existsSync(usual) ? resolve(join(dataDir, `credentials-${projectId}.json`)) : usual;
  try {
    renameSync(pathOf(config, projectId), path);
    return path;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw unwritable(path, error);
  }
}

/** Call this after the keys were shown. */
export function forgetUnshown(config: GateLocation, { project_id: projectId }: FirstCredentials): void {
  rmSync(pathOf(config, projectId), { force: true });
}
