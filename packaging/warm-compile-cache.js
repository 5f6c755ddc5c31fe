// Has Node compile what a container starts with, into NODE_COMPILE_CACHE. Run by the Dockerfile, as the user of the image.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const PERMITRY = fileURLToPath(new URL('../packages/cli/bin/permitry.js', import.meta.url));
/** What a gate loads when it is first asked for it. */
const LOADED_LATER = [
  'http/mcp/serve-message.ts',
  'gateway/upstream/upstream-connection.ts',
  'outgoing/push/push-message.ts',
  'people/oidc/oidc-providers.ts',
];
const HEALTHCHECK = fileURLToPath(new URL('healthcheck.js', import.meta.url));
const directory = mkdtempSync(join(tmpdir(), 'permitry-'));
const data = join(directory, 'data');
// No server listens there, which is found out once everything is loaded.
const onPostgres = {
  PERMITRY_DATABASE_URL: 'postgres://127.0.0.1:1/none',
  PERMITRY_KEY_ENCRYPTION_KEY: randomBytes(32).toString('hex'),
  PERMITRY_DATA: data,
};

// What speaks SMTP is loaded when a gate starts, and calls nobody then.
const withMail = { PERMITRY_DATA: data, PERMITRY_SMTP_URL: 'smtp://127.0.0.1:1' };

const { code } = await run([PERMITRY, 'serve', '--port', '0', '--json'], withMail, stopOnceServing);
if (code !== 0) process.exit(1);
await run([PERMITRY, 'serve', '--check'], { PERMITRY_DATA: data });
for (const command of [['serve'], ['serve', '--check'], ['migrate', '--status']])
  await run([PERMITRY, ...command], onPostgres);
await run([HEALTHCHECK], { PERMITRY_PORT: '1' });
for (const file of LOADED_LATER)
  await import(new URL(`../packages/server/src/${file}`, import.meta.url).href);
rmSync(directory, { recursive: true });

/** Node writes its cache when the process ends. */
function run(args, env, onOutput = () => {}) {
  const child = spawn(process.execPath, args, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  child.stdout.setEncoding('utf8').on('data', (text) => onOutput(child, text));
  return new Promise((resolve) => child.once('close', (code) => resolve({ code })));
}

function stopOnceServing(child, text) {
  if (text.includes('"url"')) child.kill('SIGTERM');
}
