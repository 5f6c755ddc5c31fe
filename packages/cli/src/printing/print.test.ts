import { stripVTControlCharacters } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Column, toTable } from './print.ts';

const { isTTY, columns: usual } = process.stdout;
const columns: readonly Column<readonly [string, string]>[] = [
  { title: 'ID', text: ([id]) => id },
  { title: 'WORDS', text: ([, words]) => words, shrinks: true },
];
const linesOf = (words: string) =>
  stripVTControlCharacters(toTable([['int_1', words]], columns))
    .trimEnd()
    .split('\n');

describe('a table on a terminal of 30 columns', () => {
  beforeEach(() => void Object.assign(process.stdout, { isTTY: true, columns: 30 }));
  afterEach(() => void Object.assign(process.stdout, { isTTY, columns: usual }));

  test.each([
    ['Latin', 'x'.repeat(100), `${'x'.repeat(22)}…`],
    ['wide letters', '漢'.repeat(100), `${'漢'.repeat(11)}…`],
    ['emoji', '😀'.repeat(100), `${'😀'.repeat(11)}…`],
    ['marks', 'e\u0301'.repeat(23), 'e\u0301'.repeat(23)],
  ])('is not wider than the terminal: %s', (_what, words, shown) => {
    expect(linesOf(words)[1]).toBe(`int_1  ${shown}`);
  });
});

test('a table in a pipe is not cut', () => {
  expect(linesOf('漢'.repeat(100))[1]).toContain('漢'.repeat(100));
});
