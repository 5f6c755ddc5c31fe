/** The base URL a directory was last served under, so that the command line signs heads in the same name. */
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { baseUrlFor, type Config } from './config.ts';

const FILE = 'base-url';

export function rememberBaseUrl(dataDir: string, baseUrl: string): void {
  if (recall(dataDir) === baseUrl) return;
  // Whole or not at all: the command line may read it at any moment.
  const written = join(dataDir, `${FILE}.new`);
  writeFileSync(written, `${baseUrl}\n`, { mode: 0o600 });
  renameSync(written, join(dataDir, FILE));
}

/** As configured; else as last served; else what serving it on this port would give. */
export function issuerFor(config: Config): string {
  return config.baseUrl ?? recall(config.dataDir) ?? baseUrlFor(config, config.port);
}

function recall(dataDir: string): string | null {
  try {
    const text = readFileSync(join(dataDir, FILE), 'utf8').trim();
    return URL.canParse(text) ? text : null;
  } catch {
    // Never served yet.
    return null;
  }
}
