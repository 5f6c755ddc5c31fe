import { existsSync, mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Config, FirstCredentials } from '@permitry/server';
import { writeWholeFile } from '@permitry/server/whole-file';
import { CommandFailure } from '../command-failure.ts';

/**
 * Keeps the first credentials where only the gate's own user can read them, and answers the path.
 *
 * Called by whoever has just initialised the gate, of whom there is one only: a file that lies there is a leftover,
 * unless the gate is in a database; then it may hold the keys of a gate that is in the directory.
 */
export function writeCredentialsFile(
  config: Pick<Config, 'dataDir' | 'databaseUrl'>,
  credentials: FirstCredentials & { set_up_url: string | null },
): string {
  const { dataDir, databaseUrl } = config;
  const usual = resolve(join(dataDir, 'credentials.json'));
  const path =
    databaseUrl && existsSync(usual)
      ? resolve(join(dataDir, `credentials-${credentials.project_id}.json`))
      : usual;
  writePrivately(config, path, credentials);
  return path;
}

/** With mode 0600, whole or not at all. */
export function writePrivately(
  { dataDir }: Pick<Config, 'dataDir'>,
  path: string,
  credentials: FirstCredentials,
): void {
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    // They are nowhere else.
    writeWholeFile(path, `${JSON.stringify(credentials, null, 2)}\n`);
  } catch (cause) {
    throw new CommandFailure(
      1,
      `The first keys could not be written to ${path}. Nothing is lost: put that right and start again.`,
      { cause },
    );
  }
}
