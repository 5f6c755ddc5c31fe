import { describe, expect, test } from 'vitest';
import { excerptOfParams, excerptOfWords } from './excerpt.ts';

describe('the excerpt of parameters on one line', () => {
  test.each([
    [{}, ''],
    [{ order: 'A-4711', amount: 120.5, express: true }, 'order: "A-4711", amount: 120.5, express: true'],
    [{ to: { name: 'Ann', tags: ['a', null, []] } }, 'to: {name: "Ann", tags: ["a", null, []]}'],
    [{ 'a b': 1, 'x", y: 2': 3 }, '"a b": 1, "x\\", y: 2": 3'],
    [{ say: 'she said "no"\\' }, 'say: "she said \\"no\\"\\\\"'],
  ])('shows every value of %j', (params, text) => {
    expect(excerptOfParams(params)).toEqual({ text, more: 0 });
  });

  test('counts the omitted characters, and shows nothing after the gap', () => {
    const { text, more } = excerptOfParams({ first: 'x'.repeat(200_000), last: 'seen?' });
    expect(text).toBe(`first: "${'x'.repeat(152)}`);
    expect(text.length + more).toBe(`first: "${'x'.repeat(200_000)}", last: "seen?"`.length);
  });

  test('never cuts a character in half', () => {
    const { text, more } = excerptOfParams({ a: `${'x'.repeat(155)}👍👍` });
    expect(text.endsWith('x')).toBe(true);
    expect(more).toBe('👍👍"'.length);
  });
});

describe("the requester's words", () => {
  test('are its reason or description, or else everything it sent along', () => {
    expect(excerptOfWords({})).toBeNull();
    expect(excerptOfWords({ ticket: 7, reason: ' The customer asked.\nTwice. ' })).toEqual({
      text: 'The customer asked.\nTwice.',
      more: 0,
    });
    expect(excerptOfWords({ reason: ' ', ticket: 7 })).toEqual({ text: 'reason: " ", ticket: 7', more: 0 });
    expect(excerptOfWords({ description: 'x'.repeat(300) })).toMatchObject({ more: 20 });
  });
});
