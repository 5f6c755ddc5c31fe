/** Who may import whom. The table is the rule; a file outside every listed folder fails as well. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Import, importsOf, listSources } from '../scripts/house/imports.ts';
import {
  arrowsAgainst,
  arrowsOf,
  betweenRooms,
  circlesOf,
  graphOf,
  roomOfGate,
} from '../scripts/house/rooms.ts';
import { partsTaken } from './parts-taken.ts';
import { EXCEPTIONS, ROOMS_IN_ORDER } from './rooms-in-order.ts';

const ROOT = join(import.meta.dirname, '..');
const SERVER = 'packages/server/src';

/** The type of what surfaces pass to operations. They never import the code that opens a gate. */
const PARTS = `type:${SERVER}/open-gate.ts`;
const METRICS = `${SERVER}/ops/metrics/metrics.ts`;

/**
 * Shared by all surfaces: steps that no route may forget, and parts of answers that several surfaces have in common.
 */
const BEHIND_SURFACES = [
  'admission',
  'answers',
  'body',
  'errors',
  'limits',
  'log',
  'once',
  'routes',
  'wire',
].map((room) => `${SERVER}/http/${room}/`);

/** What a words module may import. */
const TEXTS_OF_PAGES = ['packages/dashboard/src/ui/format.ts', 'packages/dashboard/src/ui/say.ts'];

/**
 * Per folder (the longest match counts): what it may import besides its own files. An entry that ends in `/` is a
 * folder, one in `.ts` a file (after `type:` only its types). `pkg:` is a package, `node:` a built-in module (`node:*`:
 * any).
 */
const TABLE: Record<string, readonly string[]> = {
  'packages/protocol/src': [
    'pkg:canonicalize',
    'pkg:typebox',
    'pkg:@noble/hashes',
    'pkg:#base64url',
    'pkg:#sha256',
    'node:buffer',
    'node:crypto',
  ],
  // Runs in Node from version 20, in web workers and at the edge, so it imports neither Node's modules nor the server.
  'packages/sdk/src': ['packages/sdk/src/', 'pkg:@permitry/protocol'],
  // Imports nothing of the gate. The gate loads this package by name.
  'packages/pkcs11/src': ['pkg:koffi', 'node:*'],
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

  // Runs in browsers, so it imports neither the server nor Node's modules.
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
  // Pages are built from these, never the other way round.
  'packages/dashboard/src/ui': ['packages/dashboard/src/api/', 'pkg:react', 'pkg:react-router'],
  'packages/dashboard/src/inert-text': [...TEXTS_OF_PAGES, 'pkg:@permitry/protocol', 'pkg:react'],
  'packages/dashboard/src/parameter-tree': [
    ...TEXTS_OF_PAGES,
    'packages/dashboard/src/inert-text/',
    'pkg:@permitry/protocol',
    'pkg:react',
  ],
  'packages/dashboard/src/live': ['packages/dashboard/src/api/', 'pkg:react'],

  // Tests a gate from outside, and so works with any running gate.
  attack: ['pkg:@permitry/protocol', 'packages/protocol/test-data/', 'node:*'],

  [`${SERVER}/gate`]: ['pkg:@permitry/protocol', `${SERVER}/gate/`, 'node:crypto'],
  [`${SERVER}/gate/policy`]: [
    'pkg:@permitry/protocol',
    `${SERVER}/gate/`,
    'pkg:@marcbachmann/cel-js',
    'pkg:typebox',
    'pkg:re2js',
  ],
  // Talks to upstream servers through the one guarded client, or to commands on this machine.
  [`${SERVER}/gateway/upstream`]: [
    'pkg:@permitry/protocol',
    'pkg:@modelcontextprotocol/client',
    `${SERVER}/gate/`,
    `${SERVER}/outgoing/outgoing.ts`,
    `${SERVER}/outgoing/outgoing-addresses.ts`,
    `${SERVER}/outgoing/inert-text.ts`,
    `${SERVER}/runtime/version.ts`,
    'node:child_process',
    'node:http',
  ],
  [`${SERVER}/storage`]: [`${SERVER}/gate/`, `${SERVER}/people/`, 'pkg:kysely'],
  [`${SERVER}/storage/sql`]: [
    'pkg:@permitry/protocol',
    `${SERVER}/gate/`,
    `${SERVER}/people/`,
    `${SERVER}/storage/`,
    'pkg:kysely',
  ],
  [`${SERVER}/storage/queries`]: [
    'pkg:@permitry/protocol',
    `${SERVER}/gate/`,
    `${SERVER}/people/`,
    `${SERVER}/storage/`,
    'pkg:kysely',
  ],
  [`${SERVER}/storage/migrations`]: [`type:${SERVER}/storage/sql/table.ts`],
  [`${SERVER}/storage/sqlite`]: [
    `${SERVER}/gate/`,
    `${SERVER}/storage/`,
    `${SERVER}/files/`,
    'pkg:kysely',
    'node:*',
  ],
  [`${SERVER}/storage/postgres`]: [`${SERVER}/gate/`, `${SERVER}/storage/`, 'pkg:kysely', 'pkg:pg', 'node:*'],
  [`${SERVER}/keys`]: [
    `type:${SERVER}/gate/installation/installation.ts`,
    `type:${SERVER}/gate/projects/project.ts`,
    'pkg:@permitry/protocol',
    `${SERVER}/gate/kernel/`,
    `${SERVER}/gate/signing-keys/`,
    `${SERVER}/files/`,
    'pkg:jose',
    'pkg:@permitry/pkcs11',
    'node:*',
  ],
  [`${SERVER}/people`]: ['pkg:@permitry/protocol', `${SERVER}/gate/`, `${SERVER}/people/`, 'node:crypto'],
  [`${SERVER}/people/passkeys`]: [
    'pkg:@permitry/protocol',
    'pkg:@simplewebauthn/server',
    `${SERVER}/gate/`,
    `${SERVER}/people/`,
    'node:crypto',
  ],
  [`${SERVER}/people/passwords`]: [
    'pkg:@permitry/protocol',
    `${SERVER}/gate/`,
    `${SERVER}/people/`,
    'pkg:@node-rs/argon2',
  ],
  [`${SERVER}/people/oidc`]: [
    'pkg:@permitry/protocol',
    `${SERVER}/gate/`,
    `${SERVER}/people/`,
    'node:crypto',
    'pkg:openid-client',
  ],
  [`${SERVER}/people/second-factor`]: [
    'pkg:@permitry/protocol',
    `${SERVER}/gate/`,
    `${SERVER}/people/`,
    'node:crypto',
    'pkg:otplib',
  ],
  [`${SERVER}/ops/backup`]: [
    PARTS,
    'pkg:@permitry/protocol',
    `${SERVER}/gate/`,
    `${SERVER}/people/`,
    `${SERVER}/storage/sqlite/`,
    `${SERVER}/storage/storage.ts`,
    `${SERVER}/administration/served-base-url.ts`,
    `${SERVER}/ops/restore-detection/`,
    `${SERVER}/files/`,
    'pkg:age-encryption',
    'node:*',
  ],
  [`${SERVER}/ops/move`]: [
    'pkg:@permitry/protocol',
    `${SERVER}/gate/`,
    `${SERVER}/keys/`,
    `${SERVER}/storage/open-storage.ts`,
    `${SERVER}/storage/nouns.ts`,
    `${SERVER}/storage/storage.ts`,
    `${SERVER}/storage/postgres/`,
    `${SERVER}/storage/sql/stored-jws.ts`,
    `${SERVER}/storage/sqlite/`,
    `${SERVER}/open-gate.ts`,
    `${SERVER}/ops/restore-detection/`,
    `${SERVER}/files/`,
    'pkg:pg',
    'node:*',
  ],
  [`${SERVER}/gateway`]: [`${SERVER}/gate/`, `${SERVER}/gateway/`],
  [`${SERVER}/gateway/mock`]: ['pkg:@permitry/protocol', `${SERVER}/gate/`],
  [`${SERVER}/gateway/arguments`]: ['pkg:@permitry/protocol', `${SERVER}/gate/`, 'pkg:ajv', 'pkg:re2js'],
  [`${SERVER}/simulation`]: [
    `${SERVER}/gate/policy-management/`,
    `${SERVER}/storage/open-storage.ts`,
    'node:*',
  ],
  [`${SERVER}/outgoing`]: [
    'pkg:@permitry/protocol',
    `${SERVER}/gate/`,
    `${SERVER}/people/account-mail.ts`,
    `${SERVER}/runtime/node-http.ts`,
    'pkg:ipaddr.js',
    'pkg:nodemailer',
    'pkg:standardwebhooks',
    'pkg:web-push',
    'node:*',
  ],
  [`${SERVER}/ops/telemetry`]: [
    `${SERVER}/gate/kernel/`,
    `${SERVER}/storage/storage.ts`,
    'pkg:@opentelemetry/api',
    'pkg:@opentelemetry/exporter-trace-otlp-http',
    'pkg:@opentelemetry/resources',
    'pkg:@opentelemetry/sdk-trace',
    'pkg:fastify',
    'node:async_hooks',
  ],
  [`${SERVER}/ops/metrics`]: ['pkg:fastify', 'pkg:prom-client'],
  [`${SERVER}/ops/chores`]: [
    `${SERVER}/gate/`,
    `${SERVER}/keys/`,
    `${SERVER}/people/`,
    `${SERVER}/config.ts`,
    `${SERVER}/open-gate.ts`,
    'pkg:pino',
  ],
  [`${SERVER}/ops/restore-detection`]: [
    `${SERVER}/gate/`,
    `${SERVER}/people/oidc/identity.ts`,
    `${SERVER}/storage/storage.ts`,
    `${SERVER}/files/`,
    'node:fs',
    'node:path',
  ],
  [`${SERVER}/streams`]: ['pkg:@permitry/protocol', `${SERVER}/gate/`, 'node:stream', 'node:timers/promises'],
  // What the operator does to a gate from the command line, with whatever imports that needs.
  [`${SERVER}/administration`]: [
    `${SERVER}/gate/`,
    `${SERVER}/gateway/`,
    `${SERVER}/outgoing/`,
    `${SERVER}/storage/`,
    `${SERVER}/files/`,
    `${SERVER}/config.ts`,
    `${SERVER}/open-gate.ts`,
    'node:*',
  ],
  [`${SERVER}/files`]: ['node:*'],
  [`${SERVER}/runtime`]: [`${SERVER}/gate/kernel/`, 'node:crypto', 'node:fs', 'node:http', 'node:v8'],
  [`${SERVER}/http`]: [
    'pkg:*',
    PARTS,
    `${SERVER}/gate/`,
    `${SERVER}/people/`,
    `${SERVER}/streams/`,
    `${SERVER}/http/`,
    `${SERVER}/config.ts`,
    METRICS,
    'node:*',
  ],
  [`${SERVER}/settings`]: ['node:*'],
  // Checks everything that a starting gate opens.
  [`${SERVER}/ops/check`]: [
    `${SERVER}/gate/`,
    `${SERVER}/ops/move/`,
    `${SERVER}/keys/`,
    `${SERVER}/storage/`,
    `${SERVER}/config.ts`,
    `${SERVER}/settings/`,
    `${SERVER}/files/`,
    `${SERVER}/ops/restore-detection/`,
    'node:*',
  ],
  ...Object.fromEntries(
    BEHIND_SURFACES.map((folder) => [
      folder.slice(0, -1),
      [
        'pkg:*',
        PARTS,
        `type:${SERVER}/storage/nouns.ts`,
        `${SERVER}/gate/`,
        `${SERVER}/people/`,
        `${SERVER}/streams/`,
        ...BEHIND_SURFACES,
        METRICS,
        `${SERVER}/runtime/node-http.ts`,
        `${SERVER}/settings/`,
        'node:*',
      ],
    ]),
  ),
  [`${SERVER}/http/surface-a`]: ['pkg:*', PARTS, `${SERVER}/gate/`, ...BEHIND_SURFACES],
  [`${SERVER}/http/surface-b`]: [
    'pkg:*',
    PARTS,
    `${SERVER}/gate/`,
    `${SERVER}/people/`,
    `${SERVER}/streams/`,
    ...BEHIND_SURFACES,
  ],
  [`${SERVER}/http/mcp`]: [
    PARTS,
    'pkg:@permitry/protocol',
    'pkg:@modelcontextprotocol/server',
    'pkg:fastify',
    'pkg:pino',
    'pkg:typebox',
    `${SERVER}/gate/`,
    `${SERVER}/streams/`,
    ...BEHIND_SURFACES,
    METRICS,
    `${SERVER}/runtime/version.ts`,
    'node:stream',
    'node:stream/web',
  ],
  [`${SERVER}/http/console`]: [
    'pkg:*',
    PARTS,
    `${SERVER}/gate/`,
    `${SERVER}/people/`,
    `${SERVER}/streams/`,
    `${SERVER}/http/console/`,
    ...BEHIND_SURFACES,
    `${SERVER}/config.ts`,
    'node:*',
  ],
  [`${SERVER}/http/well-known`]: [
    'pkg:*',
    PARTS,
    `${SERVER}/gate/`,
    ...BEHIND_SURFACES,
    METRICS,
    `${SERVER}/config.ts`,
    `${SERVER}/runtime/node-http.ts`,
    'node:*',
  ],
};

/** Single files outside the rooms. `*`: may import everything. */
const FILES: Record<string, readonly string[] | '*'> = {
  'attack/prepare-gate.ts': ['pkg:@permitry/protocol', 'pkg:@permitry/server', 'attack/', 'node:*'],
  [`${SERVER}/main.ts`]: '*',
  [`${SERVER}/open-gate.ts`]: '*',
  [`${SERVER}/ops/metrics/gate-figures.ts`]: '*',
  [`${SERVER}/index.ts`]: '*',
  [`${SERVER}/operator.ts`]: '*',
  [`${SERVER}/ops/ops.ts`]: '*',
  [`${SERVER}/files.ts`]: [`${SERVER}/files/`, `${SERVER}/settings/`],
  [`${SERVER}/config.ts`]: [
    `${SERVER}/outgoing/mail/mail-settings.ts`,
    `${SERVER}/outgoing/outgoing-addresses.ts`,
    `${SERVER}/people/oidc/oidc-settings.ts`,
    `${SERVER}/keys/key-settings.ts`,
    `${SERVER}/ops/telemetry/trace-settings.ts`,
    `${SERVER}/settings/`,
    `${SERVER}/storage/open-storage.ts`,
    'node:*',
  ],
  [`${SERVER}/storage/open-storage.ts`]: [`${SERVER}/storage/`, `${SERVER}/gate/kernel/`],
};

/** Forbidden in every folder: databases and frameworks inside the gate, and a database behind a surface. */
const NEVER: readonly { in: string; what: RegExp }[] = [
  { in: `${SERVER}/gate`, what: /^(fastify|kysely|node:fs|node:sqlite|node:process)/ },
  { in: `${SERVER}/http`, what: /^(kysely|node:sqlite)/ },
];

const SOURCES = [
  'packages/protocol/src',
  'packages/server/src',
  'packages/sdk/src',
  'packages/pkcs11/src',
  'packages/cli/src',
  'packages/dashboard/src',
  'attack',
].flatMap((folder) => listSources(ROOT, folder));

function roomOf(file: string): string | undefined {
  return Object.keys(TABLE)
    .filter((folder) => file.startsWith(`${folder}/`))
    .sort((a, b) => b.length - a.length)[0];
}

function packageName(specifier: string): string {
  const [first = '', second = ''] = specifier.split('/');
  return first.startsWith('@') ? `${first}/${second}` : first;
}

function isAllowed({ specifier, file, typeOnly }: Import, allowed: readonly string[], room: string): boolean {
  if (file !== undefined) {
    if (room !== '' && file.startsWith(`${room}/`) && roomOf(file) === room) return true;
    return allowed.some((entry) =>
      entry.endsWith('/') ? file.startsWith(entry) : entry === file || (typeOnly && entry === `type:${file}`),
    );
  }
  if (specifier.startsWith('node:')) return allowed.includes('node:*') || allowed.includes(specifier);
  return allowed.includes('pkg:*') || allowed.includes(`pkg:${packageName(specifier)}`);
}

function problemsOf(file: string): string[] {
  const single = FILES[file];
  if (single === '*') return [];
  const room = roomOf(file);
  if (single === undefined && room === undefined) return [`${file} is in no listed folder`];
  const allowed = single ?? TABLE[room ?? ''] ?? [];
  return importsOf(ROOT, file)
    .filter(
      (found) =>
        !isAllowed(found, allowed, single ? '' : (room ?? '')) ||
        NEVER.some((rule) => file.startsWith(`${rule.in}/`) && rule.what.test(found.specifier)),
    )
    .map(({ specifier }) => `${file} may not import ${specifier}`);
}

describe('the import table', () => {
  test('finds the sources', () => {
    expect(SOURCES.length).toBeGreaterThan(50);
  });

  test('holds for every file', () => {
    expect(SOURCES.flatMap(problemsOf)).toEqual([]);
  });

  test('notices a forbidden import and a file outside every room', () => {
    const gate = `${SERVER}/gate`;
    const mayImport = (specifier: string, file?: string) =>
      isAllowed({ specifier, file, typeOnly: false }, TABLE[gate] ?? [], gate);
    expect(mayImport('../kernel/errors.ts', `${gate}/kernel/errors.ts`)).toBe(true);
    expect(mayImport('fastify')).toBe(false);
    expect(mayImport('../../storage/storage.ts', `${SERVER}/storage/storage.ts`)).toBe(false);
    expect(problemsOf('packages/server/src/utils/x.ts')).toEqual([
      'packages/server/src/utils/x.ts is in no listed folder',
    ]);
  });

  test('does not have to cover the environment, because the gate does not read it', () => {
    const readers = SOURCES.filter(
      (file) =>
        file.startsWith(`${SERVER}/gate/`) && /\bprocess\./.test(readFileSync(join(ROOT, file), 'utf8')),
    );
    expect(readers).toEqual([]);
  });
});

test('no circle of files is longer than three, including types', () => {
  expect(circlesOf(graphOf(ROOT, SOURCES)).filter((circle) => circle.length > 3)).toEqual([]);
});

describe('the rooms of the gate', () => {
  const files = listSources(ROOT, `${SERVER}/gate`);
  const rooms = betweenRooms(graphOf(ROOT, files), roomOfGate);

  test('all have a place in the order', () => {
    expect([...rooms.keys()].sort()).toEqual([...ROOMS_IN_ORDER].sort());
  });

  test('import only earlier rooms, except for the exceptions', () => {
    const against = arrowsAgainst(ROOMS_IN_ORDER, arrowsOf(rooms)).map((arrow) => arrow.join(' > '));
    expect(against.sort()).toEqual(EXCEPTIONS.map(({ from, to }) => `${from} > ${to}`).sort());
  });

  test('have at most ten exceptions, each with its reason', () => {
    expect(EXCEPTIONS.length).toBeLessThanOrEqual(10);
    expect(EXCEPTIONS.filter(({ why }) => why === '')).toEqual([]);
  });

  test('form no circle at run time', () => {
    expect(circlesOf(betweenRooms(graphOf(ROOT, files, { values: true }), roomOfGate))).toEqual([]);
  });

  test('are measured so that an import against the order and a circle are noticed', () => {
    const graph = new Map([
      ['a', new Set(['b'])],
      ['b', new Set(['c'])],
      ['c', new Set(['b', 'd'])],
      ['d', new Set<string>()],
    ]);
    expect(arrowsAgainst(['d', 'c', 'b'], arrowsOf(graph))).toEqual([['c', 'b']]);
    expect(circlesOf(graph)).toEqual([['b', 'c']]);
  });
});

describe('a database column', () => {
  const code = listSources(ROOT, SERVER)
    .filter((file) => !file.startsWith(`${SERVER}/storage/migrations/`))
    .map((file) => [file, withoutComments(readFileSync(join(ROOT, file), 'utf8'))] as const);

  test('is never read through `*`, because PostgreSQL refuses a prepared `*` after a newer release adds a column', () => {
    const asks = /selectAll|returningAll|\breturning \*|\bselect \*/;
    expect(
      code.filter(([file, text]) => file.includes('/storage/') && asks.test(text)).map(([file]) => file),
    ).toEqual([]);
  });

  test.each([
    ['of an agent that callers set', /\bfingerprint\b/, 6],
    ['of an agent that callers set', /\bframework\b(?!-)/, 6],
    ['of an agent that no caller sets', /\blast_seen_at\b|\blastSeenAt\b/, 3],
  ])('%s is named in few files: %s', (_what, name, most) => {
    // Sessions are left out, because a session has its own `last_seen_at`.
    const spelled = code
      .filter(([file, text]) => name.test(text) && !/\/sessions?[/.-]|session\.ts/.test(file))
      .map(([file]) => file);
    expect(spelled.length, spelled.join('\n')).toBeLessThanOrEqual(most);
  });
});

function withoutComments(text: string): string {
  return text.replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
}

describe('the dependencies of an operation', () => {
  const taken = partsTaken(
    ROOT,
    ['gate', 'people', 'outgoing', 'streams'].flatMap((room) => listSources(ROOT, `${SERVER}/${room}`)),
  );

  test('are at most eight parts of the gate', () => {
    expect(taken.filter(({ members }) => members > 8)).toEqual([]);
    // A type that cannot be resolved has no members. `Own` is the dependency of proof verifiers, counted where it is
    // declared.
    expect(taken.filter(({ type, members }) => members === 0 && type !== 'Own')).toEqual([]);
  });

  test('are counted through inheritance, aliases and generics', () => {
    expect(taken.length).toBeGreaterThan(300);
    const membersOf = (type: string) => taken.find((found) => found.type === type)?.members;
    expect(membersOf('VerificationDeps')).toBe(8);
    expect(membersOf("PeopleDeps<'accountMail' | 'issuer' | 'signInLimits'>")).toBe(8);
    expect(membersOf("Pick<IntentDeps, 'clock' | 'ids'>")).toBe(2);
  });
});
