import { describe, expect, test } from 'vitest';
import { counted, duration, fullTime, sayVisibly, toInertJson, withoutOdd } from './say.ts';

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
  ])('shows %s as their numbers', (_, text, shown) => {
    expect(sayVisibly(text)).toBe(shown);
  });

  test.each(['Zoë Müller', 'e\u0301', 'Привет мир', '東京', 'नमस्ते', '{"a": 1}'])(
    'leaves %s unchanged',
    (text) => {
      expect(sayVisibly(text)).toBe(text);
    },
  );
});

test('control and invisible characters become JSON escapes, which a program reads as the same text', () => {
  const value = {
    'a\u202e': ['\u001b[2J\u009b', 'pay\u200bpal', '\u00a0\u2800\u3000', '\u{e0061}', 'a\nb é 漢'],
  };
  for (const indent of [undefined, 2]) {
    const text = toInertJson(value, indent);
    expect(text).not.toMatch(/(?!\n)[\p{C}\p{Zl}\p{Zp}\u2800]|(?! )\p{Zs}/u);
    expect(text).toContain('é 漢');
    expect(JSON.parse(text)).toEqual(value);
  }
  expect(toInertJson([1], 2)).toBe('[\n  1\n]');
});

test('escaping JSON text keeps its meaning for a program and cannot control a terminal', () => {
  const json = '{"a":"\u009b31m\u202e\u00a0é"}\n{"b":1}\n';
  expect(withoutOdd(json)).toBe('{"a":"\\u009b31m\\u202e\\u00a0é"}\n{"b":1}\n');
  expect(JSON.parse(withoutOdd('"\u009b"'))).toBe('\u009b');
});

test('only a count of one is in the singular', () => {
  expect([0, 1, 2, 1_000_000].map((count) => counted(count, 'audit record'))).toEqual([
    '0 audit records',
    '1 audit record',
    '2 audit records',
    '1,000,000 audit records',
  ]);
});

test('a duration is written in its largest whole unit', () => {
  expect([0, 1, 90, 300, 7200, 86_400].map(duration)).toEqual([
    '0 seconds',
    '1 second',
    '90 seconds',
    '5 minutes',
    '2 hours',
    '1 day',
  ]);
});

test('a time is in the form of the terminal, in visible characters, and unchanged in a pipe', () => {
  const instant = '2026-11-24T09:44:00.000Z';
  const onTerminal = fullTime(instant, { isTTY: true });
  expect(onTerminal).toMatch(/2026/);
  expect(sayVisibly(onTerminal)).toBe(onTerminal);
  expect(fullTime(instant, {})).toBe(instant);
});
