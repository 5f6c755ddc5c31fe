import { mkdirSync } from 'node:fs';
import type { Config, FirstCredentials } from '@permitry/server';
import { writeWholeFile } from '@permitry/server/files';
import { type CommandFailure, refused } from '../command-failure.ts';

/** Writes with mode 0600, whole or not at all. */
export function writePrivately(
  { dataDir }: Pick<Config, 'dataDir'>,
  path: string,
  credentials: FirstCredentials & { set_up_url?: string | null },
): void {
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    // These keys exist nowhere else.
    writeWholeFile(path, `${JSON.stringify(credentials, null, 2)}\n`);
  } catch (cause) {
    throw unwritable(path, cause);
  }
}

/** As `writePrivately`, and adds the link of the first sign-in to keys that are already in the file. */
export function writeWithLink(
  config: Pick<Config, 'dataDir'>,
  path: string,
  credentials: FirstCredentials & { set_up_url: string | null },
): void {
  try {
    writePrivately(config, path, credentials);
  } catch (cause) {
    throw refused(
      `The first keys are in ${path}, but the set-up link could not be added. Create one with: permitry set-up`,
      'refused',
      cause,
    );
  }
}

export function unwritable(path: string, cause: unknown): CommandFailure {
  return refused(
    `The first keys could not be written to ${path}. Nothing is lost: fix that and start again.`,
    'refused',
    cause,
  );
}
