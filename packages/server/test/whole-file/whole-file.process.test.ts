import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createWholeFile, writeWholeFile } from '../../src/files/whole-file.ts';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'permitry-whole-file-'));
  path = join(folder, 'secret.json');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const modeOf = (file: string) => statSync(file).mode & 0o777;

interface Step {
  step: string;
  files: { file: string; mode: string }[];
}

/** The steps of the program until it was killed or had finished. */
function run(operation: string, killAfter: number): { steps: Step[]; signal: string | null } {
  const program = join(import.meta.dirname, 'crash-after-step.ts');
  const { stdout, stderr, signal, status } = spawnSync(
    process.execPath,
    [program, path, operation, String(killAfter)],
    { encoding: 'utf8' },
  );
  if (killAfter === 0) expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  const steps = stdout.split('\n').filter((line) => line !== '');
  return { steps: steps.map((line) => JSON.parse(line) as Step), signal };
}

/** The text of the file under its own name, or null if there is no such file. */
function standing(): string | null {
  return readdirSync(folder).includes('secret.json') ? readFileSync(path, 'utf8') : null;
}

describe('a file written as a whole', () => {
  test('replaces an existing file of any mode, and is readable only by its owner', () => {
    for (const durable of [true, false]) {
      writeFileSync(path, 'the old text');
      chmodSync(path, 0o644);
      writeWholeFile(path, 'the new text', { durable });
      expect(standing()).toBe('the new text');
      expect(modeOf(path)).toBe(0o600);
    }
    expect(readdirSync(folder)).toEqual(['secret.json']);
  });

  test('never replaces another file when it is created', () => {
    expect(createWholeFile(path, 'the first')).toBe(true);
    expect(createWholeFile(path, 'the second')).toBe(false);
    expect(standing()).toBe('the first');
    expect(modeOf(path)).toBe(0o600);
    expect(readdirSync(folder)).toEqual(['secret.json']);
  });

  test('leaves nothing behind if it cannot be put in its place', () => {
    mkdirSync(path);
    expect(() => writeWholeFile(path, 'the new text')).toThrow(/EISDIR|EPERM|ENOTEMPTY|EEXIST/);
    expect(createWholeFile(path, 'the new text')).toBe(false);
    expect(readdirSync(folder)).toEqual(['secret.json']);
  });

  test.each([
    // At the end, the folder is opened, synced and closed. After a link, the draft still has its name, which must be
    // removed.
    ['replace', 'the old text', ['openSync', 'fsyncSync', 'closeSync', 'renameSync', 'fsyncSync']],
    ['create', null, ['openSync', 'fsyncSync', 'closeSync', 'linkSync', 'rmSync', 'fsyncSync']],
  ])('is complete or as before after a crash at any step of: %s', (operation, before, expected) => {
    function startOver(): void {
      for (const file of readdirSync(folder)) rmSync(join(folder, file));
      if (before !== null) writeFileSync(path, before, { mode: 0o600 });
    }
    startOver();
    const { steps } = run(operation, 0);
    const names = steps.map(({ step }) => step);
    expect(names).toEqual(expect.arrayContaining([...expected, 'half of the text written']));
    expect(standing()).toBe('the new text');
    // At no moment can anybody else read any of it.
    expect(new Set(steps.flatMap(({ files }) => files.map(({ mode }) => mode)))).toEqual(new Set(['600']));

    const published = names.findIndex((name) => name === 'renameSync' || name === 'linkSync');
    for (const [index, name] of names.entries()) {
      startOver();
      const { steps: done, signal } = run(operation, index + 1);
      expect([signal, done.at(-1)?.step]).toEqual(['SIGKILL', name]);
      expect(standing(), `killed after ${name}`).toBe(index < published ? before : 'the new text');
    }
  });
});
