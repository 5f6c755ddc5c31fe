import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['packages/*/src/**/*.test.ts', 'packages/*/test/**/*.test.ts', 'test/**/*.test.ts'],
    globalSetup: [
      'test/faults/shim/install-compiler.ts',
      'packages/dashboard/test/fixtures/install-browser.ts',
    ],
    pool: 'forks',
    // Files share what they import, module by module: no test changes a module, and loading takes a third of the time.
    isolate: false,
    // Many tests wait, for processes and for time, so one more than there are cores keeps two cores busy.
    maxWorkers: 3,
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});
