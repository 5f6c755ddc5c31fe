import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { agentHeaders, initializeByMcp } from './fixtures/initialize-by-mcp.ts';
import { freshDirectory, serveWith } from './fixtures/permitry.ts';

const SRC = join(import.meta.dirname, '../src');

/**
 * The packages that a file loads at the start, directly and through its imports. Types and `import()` load nothing at
 * the start.
 */
function packagesLoadedBy(file: string, seen = new Set<string>()): Set<string> {
  if (seen.has(file)) return new Set();
  seen.add(file);
  const imports = readFileSync(file, 'utf8').matchAll(/^import (?!type\b)(?:[^;']*? from )?'([^']+)';/gm);
  const found = [...imports].flatMap(([, specifier = '']) =>
    specifier.startsWith('.') ? [...packagesLoadedBy(join(dirname(file), specifier), seen)] : [specifier],
  );
  return new Set(found.filter((specifier) => !specifier.startsWith('node:')));
}

test.each([
  ['help, versions and usage errors', 'permitry.ts', ['commander', '@permitry/protocol']],
  ['audit verify', 'commands/audit.ts', ['commander', '@permitry/protocol']],
  ['receipt verify', 'commands/receipt.ts', ['commander', '@permitry/protocol']],
  [
    'policy check',
    'policy-file/read-checked-policy.ts',
    ['@permitry/protocol', '@permitry/server/policy', 'yaml'],
  ],
])('the commands for %s load no server', (_, file, packages) => {
  expect([...packagesLoadedBy(join(SRC, file))].sort()).toEqual(packages.toSorted());
});

test('permitry serve loads the server', () => {
  expect([...packagesLoadedBy(join(SRC, 'serving/serve.ts'))]).toContain('@permitry/server/serve');
});

test('no part of a gate imports node:http, which would load Node’s fetch', () => {
  const sources = globSync(join(SRC, '../../{cli,protocol,server}/src/**/*.ts'));
  expect(sources.length).toBeGreaterThan(800);
  const importing = /^(import|export) (?!type\b)[^;']*'(node:)?http';/m;
  expect(sources.filter((file) => importing.test(readFileSync(file, 'utf8')))).toEqual([]);
});

/** Records what a program loads. */
const WRITE_DOWN = `--import=data:text/javascript,${encodeURIComponent(`
  import { appendFileSync } from 'node:fs';
  import { registerHooks } from 'node:module';
  registerHooks({
    resolve(specifier, context, next) {
      const found = next(specifier, context);
      appendFileSync(process.env.LOADED_FILES, found.url + '\\n');
      return found;
    },
  });`)}`;

/** Each package takes megabytes, and a gate serves for a long time without any of them. */
const LOADED_LATER = [
  '@modelcontextprotocol/client',
  '@modelcontextprotocol/server',
  'zod',
  'nodemailer',
  'web-push',
  'openid-client',
  '@opentelemetry/sdk-trace',
  '@simplewebauthn/server',
  'age-encryption',
  'typebox/build/value',
  'fast-json-stringify/index.js',
];

test('a gate loads MCP when it accepts a message, and does not load mail, push and tracing', async () => {
  const data = freshDirectory();
  const list = `${data}-loaded`;
  const gate = await serveWith({ NODE_OPTIONS: WRITE_DOWN, LOADED_FILES: list }, data);
  const loadedOf = (packages: readonly string[]) => {
    const files = readFileSync(list, 'utf8');
    expect(files).toContain('/node_modules/fastify/');
    return packages.filter(
      (name) => files.includes(`/node_modules/${name}/`) || files.includes(`/${name}\n`),
    );
  };
  expect(loadedOf(LOADED_LATER)).toEqual([]);

  expect(await initializeByMcp(gate, { authorization: 'Bearer none' })).toBe(401);
  expect(await initializeByMcp(gate, { origin: 'https://elsewhere.example' })).toBe(403);
  const accept = 'text/event-stream';
  const stream = await fetch(`${gate.url}/mcp`, { headers: { ...agentHeaders(gate), accept } });
  expect(stream.status).toBe(200);
  expect(loadedOf(LOADED_LATER)).toEqual([]);

  expect(await initializeByMcp(gate)).toBe(200);
  expect(loadedOf(LOADED_LATER)).toEqual(['@modelcontextprotocol/server', 'zod']);
});

test('an event stream ends when the gate stops, even if the gate never loaded MCP', async () => {
  const gate = await serveWith({}, freshDirectory());
  const accept = 'text/event-stream';
  const stream = await fetch(`${gate.url}/mcp`, { headers: { ...agentHeaders(gate), accept } });
  gate.child.kill('SIGTERM');
  await stream.text();
  expect((await gate.ended).code).toBe(0);
});
