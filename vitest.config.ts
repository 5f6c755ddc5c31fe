import { defineConfig } from 'vitest/config';

const IN_A_BROWSER = 'packages/dashboard/test/**/*.browser.test.ts';
/** Loads a native module that does not bear what other files leave in its process. */
const ALONE = 'packages/server/test/signing/pkcs11.test.ts';

export default defineConfig({
  test: {
    globalSetup: [
      'test/faults/shim/install-compiler.ts',
      'packages/dashboard/test/fixtures/install-browser.ts',
    ],
    pool: 'forks',
    // Many tests wait, for processes and for time, so one more than there are cores keeps two cores busy.
    maxWorkers: 3,
    testTimeout: 30_000,
    hookTimeout: 30_000,
    projects: [
      {
        extends: true,
        test: {
          name: 'everyday',
          include: ['packages/*/src/**/*.test.ts', 'packages/*/test/**/*.test.ts', 'test/**/*.test.ts'],
          exclude: [IN_A_BROWSER, ALONE],
          // Files share what they import: no test changes a module, and loading takes a third of the time.
          isolate: false,
        },
      },
      { extends: true, test: { name: 'alone', include: [ALONE] } },
      { extends: true, test: { name: 'browser', include: [IN_A_BROWSER], isolate: false } },
    ],
  },
});
