/** Who may import whom. The table is the rule; a file in no listed folder fails as well. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import { describe, expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..');
const SERVER = 'packages/server/src';

/**
 * By folder (the longest that fits a file counts): what it may import beside its own files. An entry that ends in
 * `/` is a folder, one that ends in `.ts` a file, `pkg:` a package, `node:` a built-in module (`node:*`: any).
 */
const TABLE: Record<string, readonly string[]> = {
  'packages/protocol/src': [
    'pkg:jose',
    'pkg:canonicalize',
    'pkg:typebox',
    'pkg:@noble/hashes',
    'pkg:#base64url',
    'pkg:#sha256',
    'node:buffer',
    'node:crypto',
  ],
  // Runs in Node from 20, in web workers and at the edge: nothing of Node, nothing of the server.
  'packages/sdk/src': ['packages/sdk/src/', 'pkg:@permitry/protocol'],
  'packages/cli/src': [
    'pkg:@modelcontextprotocol/client',
    'pkg:@modelcontextprotocol/server',
    'pkg:@clack/prompts',
    'pkg:@permitry/protocol',
    'pkg:@permitry/sdk',
    'pkg:@permitry/server',
    'pkg:commander',
    'pkg:yaml',
    'node:*',
  ],

  // Runs in browsers: nothing of the server, nothing of Node.
  'packages/dashboard/src': [
    'packages/dashboard/src/',
    'pkg:@permitry/protocol',
    'pkg:@tanstack/react-query',
    'pkg:react',
    'pkg:react-dom',
    'pkg:react-router',
    'pkg:typebox',
    'pkg:uqr',
  ],
  'packages/dashboard/src/pages/projects/policy/editor': [
    'packages/dashboard/src/',
    'pkg:@codemirror/commands',
    'pkg:@codemirror/lang-json',
    'pkg:@codemirror/language',
    'pkg:@codemirror/lint',
    'pkg:@codemirror/state',
    'pkg:@codemirror/view',
    'pkg:@lezer/highlight',
    'pkg:react',
  ],
  'packages/dashboard/src/api': [
    'pkg:@permitry/protocol',
    'pkg:@simplewebauthn/browser',
    'pkg:@tanstack/react-query',
    'pkg:react',
    'pkg:typebox',
  ],
  // Pages are built of these, never the other way round.
  'packages/dashboard/src/ui': ['packages/dashboard/src/api/', 'pkg:react', 'pkg:react-router'],
  'packages/dashboard/src/inert-text': ['pkg:@permitry/protocol', 'pkg:react'],
  'packages/dashboard/src/parameter-tree': [
    'packages/dashboard/src/inert-text/',
    'pkg:@permitry/protocol',
    'pkg:react',
  ],
  'packages/dashboard/src/live': ['packages/dashboard/src/api/', 'pkg:react'],

  // Looks at a gate from outside, and so works against any that runs.
  attack: ['pkg:@permitry/protocol', 'packages/protocol/test-data/', 'node:*'],

  [`${SERVER}/gate`]: ['pkg:@permitry/protocol', `${SERVER}/gate/`, 'node:crypto'],
  [`${SERVER}/gate/policy`]: [
    'pkg:@permitry/protocol',
    `${SERVER}/gate/`,
    'pkg:@marcbachmann/cel-js',
    'pkg:typebox',
    'pkg:re2js',
  ],
  // Speaks with servers of others, over the one door out, or with commands of this machine.
  [`${SERVER}/gateway/upstream`]: [
    'pkg:@permitry/protocol',
    'pkg:@modelcontextprotocol/client',
    `${SERVER}/gate/`,
    `${SERVER}/delivery/outgoing.ts`,
    `${SERVER}/delivery/outgoing-addresses.ts`,
    `${SERVER}/delivery/inert-text.ts`,
    `${SERVER}/version.ts`,
    'node:child_process',
    'node:http',
  ],
  [`${SERVER}/storage`]: [`${SERVER}/gate/`, 'pkg:kysely'],
  [`${SERVER}/storage/sql`]: [
    'pkg:@permitry/protocol',
    `${SERVER}/gate/`,
    `${SERVER}/storage/`,
    'pkg:kysely',
  ],
  [`${SERVER}/storage/migrations`]: ['pkg:kysely'],
  [`${SERVER}/storage/sqlite`]: [
    `${SERVER}/gate/`,
    `${SERVER}/storage/`,
    `${SERVER}/create-lock-file.ts`,
    'pkg:kysely',
    'node:*',
  ],
  [`${SERVER}/storage/postgres`]: [`${SERVER}/gate/`, `${SERVER}/storage/`, 'pkg:kysely', 'pkg:pg', 'node:*'],
  [`${SERVER}/storage/conformance`]: [
    'pkg:@permitry/protocol',
    `${SERVER}/gate/`,
    `${SERVER}/storage/`,
    'pkg:vitest',
  ],
  [`${SERVER}/signing`]: [
    'pkg:@permitry/protocol',
    `${SERVER}/gate/kernel/bus.ts`,
    `${SERVER}/gate/kernel/ports.ts`,
    `${SERVER}/gate/kernel/instant.ts`,
    `${SERVER}/gate/kernel/errors.ts`,
    `${SERVER}/gate/kernel/repeatedly.ts`,
    `${SERVER}/gate/signing-keys/signing-key.ts`,
    `${SERVER}/gate/signing-keys/signing-key-record.ts`,
    `${SERVER}/gate/accounts/secret-box.ts`,
    `${SERVER}/create-lock-file.ts`,
    `${SERVER}/sync-folder.ts`,
    `${SERVER}/whole-file.ts`,
    'pkg:jose',
    'pkg:koffi',
    'node:*',
  ],
  [`${SERVER}/identity`]: ['pkg:@permitry/protocol', `${SERVER}/gate/`, `${SERVER}/identity/`, 'node:crypto'],
  [`${SERVER}/identity/passkeys`]: [
    'pkg:@permitry/protocol',
    'pkg:@simplewebauthn/server',
    `${SERVER}/gate/`,
    `${SERVER}/identity/`,
    'node:crypto',
  ],
  [`${SERVER}/identity/passwords`]: [
    'pkg:@permitry/protocol',
    `${SERVER}/gate/`,
    `${SERVER}/identity/`,
    'pkg:@node-rs/argon2',
  ],
  [`${SERVER}/identity/oidc`]: [
    'pkg:@permitry/protocol',
    `${SERVER}/gate/`,
    `${SERVER}/identity/`,
    'node:crypto',
    'pkg:openid-client',
  ],
  [`${SERVER}/identity/second-factor`]: [
    'pkg:@permitry/protocol',
    `${SERVER}/gate/`,
    `${SERVER}/identity/`,
    'node:crypto',
    'pkg:otplib',
  ],
  [`${SERVER}/backup`]: [
    'pkg:@permitry/protocol',
    `${SERVER}/gate/`,
    `${SERVER}/identity/`,
    `${SERVER}/storage/sqlite/`,
    `${SERVER}/storage/storage.ts`,
    `${SERVER}/served-base-url.ts`,
    `${SERVER}/served-database.ts`,
    `${SERVER}/sync-folder.ts`,
    'pkg:age-encryption',
    'node:*',
  ],
  [`${SERVER}/move`]: [
    'pkg:@permitry/protocol',
    `${SERVER}/gate/`,
    `${SERVER}/signing/`,
    `${SERVER}/storage/open-storage.ts`,
    `${SERVER}/storage/storage.ts`,
    `${SERVER}/storage/postgres/`,
    `${SERVER}/storage/sqlite/`,
    `${SERVER}/open-gate.ts`,
    `${SERVER}/served-database.ts`,
    `${SERVER}/sync-folder.ts`,
    `${SERVER}/whole-file.ts`,
    'pkg:pg',
    'node:*',
  ],
  [`${SERVER}/gateway`]: [`${SERVER}/gate/`, `${SERVER}/gateway/`],
  [`${SERVER}/gateway/mock`]: ['pkg:@permitry/protocol', `${SERVER}/gate/`],
  [`${SERVER}/gateway/arguments`]: ['pkg:@permitry/protocol', `${SERVER}/gate/`, 'pkg:ajv', 'pkg:re2js'],
  [`${SERVER}/simulation`]: [`${SERVER}/gate/policy-management/`, `${SERVER}/storage/open-storage.ts`, 'node:*'],
  [`${SERVER}/delivery`]: [
    'pkg:@permitry/protocol',
    `${SERVER}/gate/`,
    'pkg:ipaddr.js',
    'pkg:nodemailer',
    'pkg:standardwebhooks',
    'pkg:web-push',
    'node:*',
  ],
  [`${SERVER}/telemetry`]: [
    `${SERVER}/gate/kernel/ports.ts`,
    `${SERVER}/storage/storage.ts`,
    'pkg:@opentelemetry/api',
    'pkg:@opentelemetry/exporter-trace-otlp-http',
    'pkg:@opentelemetry/resources',
    'pkg:@opentelemetry/sdk-trace',
    'pkg:fastify',
    'node:async_hooks',
  ],
  [`${SERVER}/http`]: [
    'pkg:*',
    `${SERVER}/gate/`,
    `${SERVER}/identity/`,
    `${SERVER}/http/`,
    `${SERVER}/config.ts`,
    'node:*',
  ],
  [`${SERVER}/settings`]: ['node:*'],
  // Looks at all that a gate opens when it starts.
  [`${SERVER}/check`]: [
    `${SERVER}/gate/`,
    `${SERVER}/move/`,
    `${SERVER}/signing/`,
    `${SERVER}/storage/`,
    `${SERVER}/config.ts`,
    `${SERVER}/database-url.ts`,
    `${SERVER}/find-open-directory.ts`,
    `${SERVER}/loss-watch.ts`,
    `${SERVER}/served-database.ts`,
    'node:*',
  ],
  [`${SERVER}/http/shared`]: [
    'pkg:*',
    `${SERVER}/gate/`,
    `${SERVER}/identity/`,
    `${SERVER}/config.ts`,
    `${SERVER}/settings/`,
    'node:*',
  ],
  [`${SERVER}/http/surface-a`]: ['pkg:*', `${SERVER}/gate/`, `${SERVER}/http/shared/`],
  [`${SERVER}/http/surface-b`]: [
    'pkg:*',
    `${SERVER}/gate/`,
    `${SERVER}/identity/`,
    `${SERVER}/http/shared/`,
    'node:stream',
  ],
  [`${SERVER}/http/mcp`]: [
    'pkg:@permitry/protocol',
    'pkg:@modelcontextprotocol/server',
    'pkg:fastify',
    'pkg:pino',
    'pkg:typebox',
    `${SERVER}/gate/`,
    `${SERVER}/http/shared/`,
    `${SERVER}/version.ts`,
    'node:stream',
    'node:stream/web',
  ],
  [`${SERVER}/http/console`]: [
    'pkg:*',
    `${SERVER}/gate/`,
    `${SERVER}/identity/`,
    `${SERVER}/delivery/`,
    `${SERVER}/http/console/`,
    `${SERVER}/http/shared/`,
    `${SERVER}/config.ts`,
    'node:*',
  ],
  [`${SERVER}/http/well-known`]: [
    'pkg:*',
    `${SERVER}/gate/`,
    `${SERVER}/http/shared/`,
    `${SERVER}/config.ts`,
    'node:*',
  ],
};

/** Single files above the rooms. `*`: sees everything. */
const FILES: Record<string, readonly string[] | '*'> = {
  'attack/prepare-gate.ts': ['pkg:@permitry/protocol', 'pkg:@permitry/server', 'attack/', 'node:*'],
  [`${SERVER}/main.ts`]: '*',
  [`${SERVER}/open-gate.ts`]: '*',
  [`${SERVER}/gate-figures.ts`]: '*',
  [`${SERVER}/care-for-keys.ts`]: [
    `${SERVER}/config.ts`,
    `${SERVER}/open-gate.ts`,
    `${SERVER}/signing/`,
    'pkg:pino',
  ],
  [`${SERVER}/chores.ts`]: [
    `${SERVER}/gate/`,
    `${SERVER}/identity/`,
    `${SERVER}/http/shared/once/sweep-answers.ts`,
  ],
  [`${SERVER}/listening.ts`]: ['node:net'],
  [`${SERVER}/index.ts`]: '*',
  [`${SERVER}/administer-upstreams.ts`]: '*',
  [`${SERVER}/administer-webhooks.ts`]: '*',
  [`${SERVER}/served-base-url.ts`]: [
    `${SERVER}/config.ts`,
    `${SERVER}/gate/kernel/ports.ts`,
    `${SERVER}/whole-file.ts`,
    'node:*',
  ],
  [`${SERVER}/find-open-directory.ts`]: ['node:fs'],
  [`${SERVER}/operate-erasures.ts`]: [`${SERVER}/gate/erasure/`, `${SERVER}/storage/`],
  [`${SERVER}/served-database.ts`]: [`${SERVER}/gate/kernel/instant.ts`, `${SERVER}/storage/storage.ts`],
  [`${SERVER}/loss-watch.ts`]: [
    `${SERVER}/gate/kernel/instant.ts`,
    `${SERVER}/gate/kernel/ports.ts`,
    `${SERVER}/gate/kernel/repeatedly.ts`,
    `${SERVER}/gate/restore/lost-commits.ts`,
    `${SERVER}/storage/storage.ts`,
    `${SERVER}/whole-file.ts`,
    'node:fs',
    'node:path',
  ],
  [`${SERVER}/config.ts`]: [
    `${SERVER}/delivery/mail/mail-settings.ts`,
    `${SERVER}/delivery/outgoing-addresses.ts`,
    `${SERVER}/identity/oidc/oidc-settings.ts`,
    `${SERVER}/signing/key-settings.ts`,
    `${SERVER}/telemetry/trace-settings.ts`,
    `${SERVER}/database-url.ts`,
    `${SERVER}/settings/`,
    `${SERVER}/storage/open-storage.ts`,
    'node:*',
  ],
  [`${SERVER}/database-url.ts`]: ['node:net'],
  [`${SERVER}/storage/open-storage.ts`]: [`${SERVER}/storage/`, `${SERVER}/gate/kernel/ports.ts`],
  [`${SERVER}/storage/conformance.ts`]: [`${SERVER}/storage/`, `${SERVER}/gate/`, 'pkg:vitest'],
  [`${SERVER}/clock.ts`]: [`${SERVER}/gate/kernel/ports.ts`, `${SERVER}/gate/kernel/instant.ts`],
  [`${SERVER}/ids.ts`]: [`${SERVER}/gate/kernel/ports.ts`, 'node:crypto'],
  [`${SERVER}/create-lock-file.ts`]: ['node:fs'],
  [`${SERVER}/sync-folder.ts`]: ['node:fs'],
  [`${SERVER}/whole-file.ts`]: [`${SERVER}/sync-folder.ts`, 'node:crypto', 'node:fs', 'node:path'],
  [`${SERVER}/bound-heap.ts`]: ['node:v8'],
  [`${SERVER}/version.ts`]: ['node:fs'],
};

/** Never, wherever they stand: databases and frameworks inside the gate, a database behind a surface. */
const NEVER: readonly { in: string; what: RegExp }[] = [
  { in: `${SERVER}/gate`, what: /^(fastify|kysely|node:fs|node:sqlite|node:process)/ },
  { in: `${SERVER}/http`, what: /^(kysely|node:sqlite)/ },
];

const SOURCES = [
  'packages/protocol/src',
  'packages/server/src',
  'packages/sdk/src',
  'packages/cli/src',
  'packages/dashboard/src',
  'attack',
].flatMap(listSources);

function listSources(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name) && !entry.name.endsWith('.test.ts'))
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)));
}

function importsOf(file: string): string[] {
  const text = readFileSync(join(ROOT, file), 'utf8');
  const found = text.matchAll(
    /^\s*(?:import|export)\b[^;'"]*?from\s+'([^']+)'|\bimport\(\s*'([^']+)'\s*\)|^import\s+'([^']+)'/gm,
  );
  return [...found].map((match) => match[1] ?? match[2] ?? match[3] ?? '');
}

function roomOf(file: string): string | undefined {
  return Object.keys(TABLE)
    .filter((folder) => file.startsWith(`${folder}/`))
    .sort((a, b) => b.length - a.length)[0];
}

function packageName(specifier: string): string {
  const [first = '', second = ''] = specifier.split('/');
  return first.startsWith('@') ? `${first}/${second}` : first;
}

function isAllowed(file: string, specifier: string, allowed: readonly string[], room: string): boolean {
  if (specifier.startsWith('.')) {
    const target = normalize(join(dirname(file), specifier));
    if (room !== '' && target.startsWith(`${room}/`) && roomOf(target) === room) return true;
    return allowed.some((entry) => (entry.endsWith('/') ? target.startsWith(entry) : target === entry));
  }
  if (specifier.startsWith('node:')) return allowed.includes('node:*') || allowed.includes(specifier);
  return allowed.includes('pkg:*') || allowed.includes(`pkg:${packageName(specifier)}`);
}

function problemsOf(file: string): string[] {
  const single = FILES[file];
  if (single === '*') return [];
  const room = roomOf(file);
  if (single === undefined && room === undefined) return [`${file} stands in no listed folder`];
  const allowed = single ?? TABLE[room ?? ''] ?? [];
  return importsOf(file)
    .filter(
      (specifier) =>
        !isAllowed(file, specifier, allowed, single ? '' : (room ?? '')) ||
        NEVER.some((rule) => file.startsWith(`${rule.in}/`) && rule.what.test(specifier)),
    )
    .map((specifier) => `${file} may not import ${specifier}`);
}

describe('the import table', () => {
  test('finds the sources', () => {
    expect(SOURCES.length).toBeGreaterThan(50);
  });

  test('holds for every file', () => {
    expect(SOURCES.flatMap(problemsOf)).toEqual([]);
  });

  test('notices a forbidden import and a file outside every room', () => {
    expect(
      isAllowed(`${SERVER}/gate/intents/x.ts`, 'fastify', TABLE[`${SERVER}/gate`] ?? [], `${SERVER}/gate`),
    ).toBe(false);
    expect(
      isAllowed(
        `${SERVER}/gate/intents/x.ts`,
        '../../storage/storage.ts',
        TABLE[`${SERVER}/gate`] ?? [],
        `${SERVER}/gate`,
      ),
    ).toBe(false);
    expect(problemsOf('packages/server/src/utils/x.ts')).toEqual([
      'packages/server/src/utils/x.ts stands in no listed folder',
    ]);
  });

  test('the gate reads no environment', () => {
    const readers = SOURCES.filter(
      (file) =>
        file.startsWith(`${SERVER}/gate/`) && /\bprocess\./.test(readFileSync(join(ROOT, file), 'utf8')),
    );
    expect(readers).toEqual([]);
  });
});
