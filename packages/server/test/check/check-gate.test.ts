/** The findings of a check about this machine. The tests of the command line cover the rest. */
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { checkClock } from '../../src/ops/check/check-clock.ts';
import { checkGate } from '../../src/ops/check/check-gate.ts';

const directory = mkdtempSync(join(tmpdir(), 'permitry-check-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const MEBIBYTE = 1024 * 1024;

test.each([
  [1500, 'ok', /^1500 MiB are free for .*\.$/],
  [1023, 'warning', /^1023 MiB are free .* make room/],
  [63, 'problem', /^63 MiB are free .* make room/],
])('with %i MiB of free space, the state of the disk is %s', async (mebibytes, state, message) => {
  const findings = await checkGate(readConfig({ PERMITRY_DATA: directory }), {
    explain: async (error) => String(error),
    freeBytes: () => mebibytes * MEBIBYTE,
  });
  expect(findings.filter(({ part }) => part === 'disk')).toEqual([
    { part: 'disk', state, message: expect.stringMatching(message) },
  ]);
});

test('for a missing data directory, the free space is measured in the nearest existing folder, and nothing is created', async () => {
  const asked: string[] = [];
  await checkGate(readConfig({ PERMITRY_DATA: join(directory, 'a/b') }), {
    explain: async (error) => String(error),
    freeBytes: (place) => {
      asked.push(place);
      return 0;
    },
  });
  expect(asked).toEqual([directory]);
  expect(statSync(join(directory, 'a'), { throwIfNoEntry: false })).toBeUndefined();
});

test.each([
  [4000, 'ok', /Z$/],
  [6000, 'warning', /6 seconds behind the database's/],
  [-90_000, 'warning', /90 seconds ahead of the database's/],
])(
  'with a database clock that is %i ms ahead, the state of the clock is %s',
  (clockAheadMs, state, message) => {
    const findings = checkClock({ dataDir: '/nowhere', now: Date.now(), clockAheadMs });
    expect(findings).toEqual([{ part: 'clock', state, message: expect.stringMatching(message) }]);
  },
);
