import { describe, expect, test } from 'vitest';
import { sayVisibly } from './say-visibly.ts';

describe('sayVisibly', () => {
  test.each([
    ['terminal escapes', '\u001b[2J\u001b]0;x\u0007', '\\u{1b}[2J\\u{1b}]0;x\\u{7}'],
    ['C1 controls', 'a\u009b31mb\u007f', 'a\\u{9b}31mb\\u{7f}'],
    ['line breaks', 'a\r\nb\u2028c', 'a\\u{d}\\u{a}b\\u{2028}c'],
    ['directions', 'gnp\u202egpj\u2066', 'gnp\\u{202e}gpj\\u{2066}'],
    ['zero width', 'pay\u200bpal\ufeff\u2060', 'pay\\u{200b}pal\\u{feff}\\u{2060}'],
    ['tags', '\u{e0061}', '\\u{e0061}'],
    ['fillers and odd spaces', '\u3164\u2800\u00a0\u3000', '\\u{3164}\\u{2800}\\u{a0}\\u{3000}'],
    ['half a pair', 'a\ud800', 'a\\u{d800}'],
    ['stacked marks', `Z${'\u0300'.repeat(5)}`, 'Z\u0300\u0300\u0300\\u{300}\\u{300}'],
  ])('%s are shown by their number', (_, text, shown) => {
    expect(sayVisibly(text)).toBe(shown);
  });

  test.each(['Zoë Müller', 'e\u0301', 'Привет мир', '東京', 'नमस्ते', '{"a": 1}'])(
    '%s stays as it is',
    (text) => {
      expect(sayVisibly(text)).toBe(text);
    },
  );
});
