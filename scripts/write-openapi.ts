/**
 * Writes docs/openapi.json from the routes themselves. With `--check` it only says whether the file is up to date. The
 * app is built on a temporary directory and never listens.
 */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from '../packages/server/src/config.ts';
import { buildApp } from '../packages/server/src/http/app.ts';
import { createLogger } from '../packages/server/src/http/log/logger.ts';
import { surfaceA } from '../packages/server/src/http/surface-a/surface-a.ts';
import { surfaceB } from '../packages/server/src/http/surface-b/surface-b.ts';
import { openGate } from '../packages/server/src/open-gate.ts';

const FILE = join(import.meta.dirname, '..', 'docs', 'openapi.json');
const BASE_URL = 'http://localhost:8787';

async function describeApi(): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), 'permitry-openapi-'));
  const opened = await openGate({ database: { directory: dataDir }, issuer: BASE_URL });
  try {
    const app = await buildApp({
      gate: opened.gate,
      config: readConfig({}),
      logger: createLogger('silent'),
      surfaces: { a: surfaceA, b: surfaceB },
      usage: { note: () => {} },
    });
    const document = (await app.inject('/openapi.json')).json<object>();
    await app.close();
    return `${JSON.stringify(document, null, 2)}\n`;
  } finally {
    await opened.close();
    await rm(dataDir, { recursive: true, force: true });
  }
}

const text = await describeApi();
if (process.argv.includes('--check')) {
  const committed = await readFile(FILE, 'utf8').catch(() => '');
  if (committed !== text) {
    console.error('docs/openapi.json does not match the routes. Run: npm run openapi');
    process.exitCode = 1;
  }
} else {
  await writeFile(FILE, text);
}
