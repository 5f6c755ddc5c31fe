import { readFileSync } from 'node:fs';

/** Of this package, as gates tell one another. */
export const VERSION: string = readVersion();

function readVersion(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}
