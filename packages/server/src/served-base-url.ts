/** The base URL a directory was last served under, so that the command line signs heads in the same name. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { baseUrlFor, type Config } from './config.ts';

const FILE = 'base-url';

export function rememberBaseUrl(dataDir: string, baseUrl: string): void {
  writeFileSync(join(dataDir, FILE), `${baseUrl}\n`, { mode: 0o600 });
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
