import { stripVTControlCharacters, styleText } from 'node:util';
import { describe, expect, test } from 'vitest';
import { foldLines } from './fold-lines.ts';

const red = (text: string) => styleText('red', text, { validateStream: false });

describe('foldLines', () => {
  test('a line that somebody filled up to the edge begins no line of ours', () => {
    const text = `Source  "${'a'.repeat(21)}Risk    low"`;
    expect(foldLines(text, 30)).toBe(`Source  "${'a'.repeat(21)}\n> Risk    low"`);
  });

  test.each([20, 33, 80])('nothing is lost, and nothing is wider than %d columns', (columns) => {
    const long = `${red('x'.repeat(100))}${'漢'.repeat(100)}${'e\u0301'.repeat(50)}\n\n  short`;
    const folded = foldLines(long, columns);
    expect(folded.replaceAll('\n> ', '')).toBe(long);
    for (const line of stripVTControlCharacters(folded).split('\n')) {
      const width = [...line].reduce((sum, letter) => sum + (letter === '漢' ? 2 : 1), 0);
      expect(width).toBeLessThanOrEqual(columns);
    }
  });

  test('where no terminal is written to, lines stay whole', () => {
    expect(foldLines('x'.repeat(500), undefined)).toBe('x'.repeat(500));
  });
});
