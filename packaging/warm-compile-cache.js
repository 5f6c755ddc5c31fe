// Makes Node compile what a container loads at its start, into NODE_COMPILE_CACHE. The Dockerfile runs it as the image's user.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const PERMITRY = fileURLToPath(new URL('../packages/cli/bin/permitry.js', import.meta.url));
/** Modules that a gate loads only when they are first needed. */
const LOADED_LATER = [
  'http/mcp/serve-message.ts',
  'gateway/upstream/upstream-connection.ts',
  'outgoing/push/push-message.ts',
  'people/oidc/oidc-providers.ts',
];
const HEALTHCHECK = fileURLToPath(new URL('healthcheck.js', import.meta.url));
const directory = mkdtempSync(join(tmpdir(), 'permitry-'));
const data = join(directory, 'data');
// No server listens there. The command fails only after it loaded everything.
const onPostgres = {
  PERMITRY_DATABASE_URL: 'postgres://127.0.0.1:1/none',
  PERMITRY_KEY_ENCRYPTION_KEY: randomBytes(32).toString('hex'),
  PERMITRY_DATA: data,
};

// A gate loads its SMTP code when it starts, and connects to nothing then.
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
