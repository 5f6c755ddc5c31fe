import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { SCRATCH } from './packages/server/test/fixtures/scratch.ts';

/** A journey in a browser for each role: who signs in, decides, makes a policy, manages. */
const JOURNEYS = 'packages/*/test/**/*.journey.test.ts';
/** Packs the packages, installs them and does the first quick start. */
const INSTALL = 'test/packages/first-quick-start.test.ts';
/**
 * The storage conformance on PostgreSQL; on SQLite it is a test like any other. Also tests of parts that no gate on
 * SQLite runs.
 */
const EVERY_DAY_ON_POSTGRES = [
  'packages/server/test/storage/postgres-{conformance,migrate}.test.ts',
  'packages/server/test/http/shared-rate-limiter.postgres.test.ts',
  'packages/server/test/gates/{heartbeats,idempotency,tools-changed}.test.ts',
];

const IN_A_BROWSER = 'packages/*/test/**/*.browser.test.ts';
/** Loads a native module that fails in a process in which other files have run. */
const ALONE = ['packages/pkcs11/test/**/*.test.ts', 'test/packages/keys-in-a-token.test.ts'];
/**
 * Tests that start programs and wait for them: the command line, the packed packages, and the documents as a reader
 * follows them. Also simulations on separate threads, which yield to all other work.
 */
const PROCESSES = [
  'packages/cli/test/**/*.test.ts',
  'packages/*/test/**/*.process.test.ts',
  'test/{conformance,faults,packages}/**/*.test.ts',
  // All except the tests that only read files.
  'test/!(architecture|documents|security-document|where-tests-run|week|words).test.ts',
];
/** Tests of PostgreSQL alone, and of several gates on one database. */
const ON_POSTGRES_ALONE = [
  'packages/server/test/gates/**/*.test.ts',
  'packages/server/test/storage/postgres-*.test.ts',
  'packages/*/test/**/*.postgres.test.ts',
];
/** Tests that always run on PostgreSQL as well. */
const ON_BOTH = [
  'packages/server/test/surfaces/{across-surfaces,surface-b-permits}.test.ts',
  'packages/server/test/gateway/{given-back,upstream/away-upstreams}.test.ts',
  'packages/server/test/{sign-in/sign-in-limits,keys/{key-rotation,key-races},webhooks/several-gates}.test.ts',
  'packages/server/test/model/*.test.ts',
  'test/adversarial/catalogue-races.test.ts',
  'test/adversarial/threat-{04,08}-*.test.ts',
];
/** Tests that read SQLite's file or key files, hold SQLite's writer, or count limits by a clock of their own. */
const ON_SQLITE_ALONE = [
  'packages/server/test/backup/**',
  'packages/server/test/ledger/verify.test.ts',
  'packages/server/test/retention/bytes.test.ts',
  'packages/server/test/{access/changes-take-effect,access/revoked-while-queued,permits/use-after-waiting,storage/failed-commit}.test.ts',
  'packages/server/test/keys/compromised-key.test.ts',
  'test/adversarial/threat-{16-guessing-and-flooding,19-secrets}.test.ts',
];
/**
 * CI's machine is shared. If a test depends on programs, browsers or servers, CI runs it a second time before it fails.
 * A test that needed this is named at the end (docs/decisions/0041-in-ci-what-waits-for-others-is-asked-twice.md).
 */
const SHARED_WITH_OTHERS = { retry: process.env.CI ? 1 : 0 };
/** `npm run test:postgres`: every test that opens a gate opens it on PostgreSQL. */
const onPostgres = process.env.PERMITRY_TEST_DATABASE === 'postgres';

/** What these tests need besides Node. On an unattended Debian it is installed before the first of them. */
const BROWSER = 'packages/dashboard/test/fixtures/install-browser.ts';
const COMPILER = 'test/faults/shim/install-compiler.ts';
const PROMETHEUS = 'packages/server/test/metrics/install-prometheus.ts';
const ON_POSTGRES = { TMPDIR: SCRATCH, PERMITRY_TEST_DATABASE: 'postgres' };

/**
 * `npm test` runs the projects whose name begins with `everyday`, and `npm run test:release` runs all others. So every
 * project runs in one of the two.
 */
export default defineConfig({
  test: {
    globalSetup: [
      'packages/server/test/fixtures/postgres/provide-room.ts',
      'packages/server/test/fixtures/scratch.ts',
    ],
    reporters: ['default', './test/unsteady-tests.ts'],
    pool: 'forks',
    // Many tests wait for processes or for time, so one worker more than there are cores keeps the cores busy.
    maxWorkers: Number(process.env.PERMITRY_TEST_WORKERS ?? availableParallelism() + 1),
    // No test may depend on speed. These limits end tests that hang, on a slow and busy machine. Work of five seconds
    // on an idle machine has taken fifty seconds there.
    testTimeout: 120_000,
    // A hook makes what several tests share. For example, one hook compiles, packs and installs all packages.
    hookTimeout: 300_000,
    // Less than a test may take, so that the error says what was awaited.
    expect: { poll: { timeout: 100_000, interval: 20 } },
    coverage: {
      include: ['packages/server/src/{gate,http}/**/*.ts'],
      reporter: 'json-summary',
      reportsDirectory: 'build/coverage',
    },
    projects: [
      {
        extends: true,
        test: {
          name: 'everyday',
          include: ['packages/*/src/**/*.test.ts', 'packages/*/test/**/*.test.ts', 'test/**/*.test.ts'],
          exclude: [
            ...[JOURNEYS, INSTALL, ...EVERY_DAY_ON_POSTGRES],
            ...[IN_A_BROWSER, ...ALONE, ...PROCESSES, ...ON_POSTGRES_ALONE],
            ...(onPostgres ? ON_SQLITE_ALONE : []),
          ],
          env: { TMPDIR: SCRATCH, ...(onPostgres ? {} : { PERMITRY_TEST_POSTGRES: 'none' }) },
          // Files share their imports, because no test changes a module. Loading then takes a third of the time.
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: 'everyday-postgres',
          ...SHARED_WITH_OTHERS,
          include: EVERY_DAY_ON_POSTGRES,
          isolate: false,
          env: ON_POSTGRES,
        },
      },
      {
        extends: true,
        test: {
          name: 'everyday-browser',
          ...SHARED_WITH_OTHERS,
          include: [JOURNEYS],
          isolate: false,
          globalSetup: BROWSER,
        },
      },
      {
        extends: true,
        test: { name: 'everyday-packages', ...SHARED_WITH_OTHERS, include: [INSTALL], testTimeout: 300_000 },
      },
      {
        extends: true,
        test: {
          name: 'postgres',
          ...SHARED_WITH_OTHERS,
          include: [...ON_POSTGRES_ALONE, ...(onPostgres ? [] : ON_BOTH)],
          exclude: [...EVERY_DAY_ON_POSTGRES, ...PROCESSES],
          isolate: false,
          // A sequence takes longer here, and SQLite already tests the same steps in full.
          env: { ...ON_POSTGRES, FC_RUNS: process.env.FC_RUNS ?? '5' },
        },
      },
      { extends: true, test: { name: 'alone', include: ALONE } },
      {
        extends: true,
        test: {
          name: 'browser',
          include: [IN_A_BROWSER],
          isolate: false,
          globalSetup: BROWSER,
          ...SHARED_WITH_OTHERS,
        },
      },
      {
        extends: true,
        test: {
          name: 'processes',
          // A test that starts ten programs, one after another, has taken more than two minutes.
          testTimeout: 300_000,
          include: PROCESSES,
          exclude: [INSTALL, ...ALONE],
          isolate: false,
          globalSetup: [COMPILER, PROMETHEUS],
          ...SHARED_WITH_OTHERS,
        },
      },
    ],
  },
});
