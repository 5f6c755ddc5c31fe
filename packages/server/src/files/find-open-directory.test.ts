import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { findOpenDirectory } from './find-open-directory.ts';

function directoryWith(mode: number): string {
  const directory = mkdtempSync(join(tmpdir(), 'permitry-open-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  chmodSync(directory, mode);
  return directory;
}

test.each([0o720, 0o702, 0o777, 0o1777, 0o770])(
  'a data directory of mode %o is reported as writable by others',
  (mode) => {
    const directory = directoryWith(mode);
    expect(findOpenDirectory(directory)).toContain(`chmod go-w ${directory}`);
  },
);

test.each([0o700, 0o750, 0o755, 0o500])('a data directory of mode %o is not reported', (mode) => {
  expect(findOpenDirectory(directoryWith(mode))).toBeUndefined();
});

test('a data directory that does not exist yet is not reported', () => {
  expect(findOpenDirectory('/nowhere/at/all')).toBeUndefined();
});
