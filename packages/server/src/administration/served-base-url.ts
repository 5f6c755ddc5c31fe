/** The base URL that a gate last served, so that the command line signs heads under the same name. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { baseUrlFor, type Config } from '../config.ts';
import { writeWholeFile } from '../files/whole-file.ts';
import type { InstallationReader, InstallationWriter } from '../gate/installation/installation.ts';
import type { Storage } from '../gate/kernel/storage.ts';

const FILE = 'base-url';

export async function rememberBaseUrl(
  { dataDir, databaseUrl }: Pick<Config, 'dataDir' | 'databaseUrl'>,
  { storage, issuer }: { storage: Storage<InstallationReader, InstallationWriter>; issuer: string },
): Promise<void> {
  if (!databaseUrl) return keepBaseUrl(dataDir, issuer);
  if ((await storage.read.findInstallationFact('base_url')) === issuer) return;
  await storage.transaction((tx) => tx.putInstallationFact('base_url', issuer));
}

/**
 * The configured URL. If there is none, the URL that was served last, which a PostgreSQL database stores. Otherwise the
 * URL for this port.
 */
export function issuerFor(config: Config): string | { otherwise: string } {
  if (config.baseUrl !== null) return config.baseUrl;
  return config.databaseUrl ? { otherwise: baseUrlFor(config, config.port) } : issuerOfDirectory(config);
}

/** Like `issuerFor`, for the gate in the data directory. */
export function issuerOfDirectory(config: Config): string {
  return config.baseUrl ?? recall(config.dataDir) ?? baseUrlFor(config, config.port);
}

/** Stores the base URL that a gate in a data directory serves. */
export function keepBaseUrl(dataDir: string, baseUrl: string): void {
  if (recall(dataDir) === baseUrl) return;
  // Written whole, because the command line may read it at any time.
  writeWholeFile(join(dataDir, FILE), `${baseUrl}\n`);
}

function recall(dataDir: string): string | null {
  try {
    const text = readFileSync(join(dataDir, FILE), 'utf8').trim();
    return URL.canParse(text) ? text : null;
  } catch {
    // The gate has never served yet.
    return null;
  }
}
