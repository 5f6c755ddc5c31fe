import { expect, test } from 'vitest';
import { toInertJson, withoutOdd } from './inert-json.ts';

test('what would steer a terminal or cannot be seen is an escape of JSON, and reads as the same text', () => {
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

test('JSON that is a text already is the same to a program, and steers no terminal', () => {
  const json = '{"a":"\u009b31m\u202e\u00a0é"}\n{"b":1}\n';
  expect(withoutOdd(json)).toBe('{"a":"\\u009b31m\\u202e\\u00a0é"}\n{"b":1}\n');
  expect(JSON.parse(withoutOdd('"\u009b"'))).toBe('\u009b');
});
