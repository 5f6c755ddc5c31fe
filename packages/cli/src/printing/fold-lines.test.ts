import { stripVTControlCharacters, styleText } from 'node:util';
import { describe, expect, test } from 'vitest';
import { foldLines } from './fold-lines.ts';

const red = (text: string) => styleText('red', text, { validateStream: false });

describe('foldLines', () => {
  test('a line that was filled up to the edge cannot start a line that looks like ours', () => {
    const text = `Source  "${'a'.repeat(21)}Risk    low"`;
    expect(foldLines(text, 30)).toBe(`Source  "${'a'.repeat(21)}\n> Risk    low"`);
  });

  test.each([20, 33, 80])('no text is lost, and no line is wider than %d columns', (columns) => {
    const long = `${red('x'.repeat(100))}${'漢'.repeat(100)}${'e\u0301'.repeat(50)}\n\n  short`;
    const folded = foldLines(long, columns);
    expect(folded.replaceAll('\n> ', '')).toBe(long);
    for (const line of stripVTControlCharacters(folded).split('\n')) {
      const width = [...line].reduce((sum, letter) => sum + (letter === '漢' ? 2 : 1), 0);
      expect(width).toBeLessThanOrEqual(columns);
    }
  });

  test('lines stay whole if the output is not a terminal', () => {
    expect(foldLines('x'.repeat(500), undefined)).toBe('x'.repeat(500));
  });
});
