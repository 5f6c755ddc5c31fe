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
  'a data directory of mode %o may be written to by others',
  (mode) => {
    const directory = directoryWith(mode);
    expect(findOpenDirectory(directory)).toContain(`chmod go-w ${directory}`);
  },
);

test.each([0o700, 0o750, 0o755, 0o500])('one of mode %o may not', (mode) => {
  expect(findOpenDirectory(directoryWith(mode))).toBeUndefined();
});

test('one that is not there yet is made for its user alone', () => {
  expect(findOpenDirectory('/nowhere/at/all')).toBeUndefined();
});
