import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonValue } from './json.ts';
import { parseStrictJson } from './strict-json.ts';
import { StrictJsonError } from './strict-json-error.ts';

const encoder = new TextEncoder();

function parse(text: string, limits?: { maxDepth?: number }): JsonValue {
  return parseStrictJson(encoder.encode(text), limits);
}

function refusal(input: string | number[]): StrictJsonError {
  try {
    parseStrictJson(typeof input === 'string' ? encoder.encode(input) : Uint8Array.from(input));
  } catch (error) {
    if (error instanceof StrictJsonError) return error;
    throw error;
  }
  throw new Error(`accepted: ${String(input).slice(0, 200)}`);
}

describe('the strict reader', () => {
  it('reads what JSON.parse reads, for any JSON value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(undefined, 1, '\t'), (value, indent) => {
        const text = JSON.stringify(value, undefined, indent);
        let read: JsonValue;
        try {
          read = parse(text);
        } catch (error) {
          // The generator also produces values that strict JSON refuses on purpose.
          expect(String(error)).toMatch(/9007199254740991|surrogate|__proto__/);
          return;
        }
        expect(read).toStrictEqual(JSON.parse(text));
      }),
    );
  });

  it('never accepts a text that JSON.parse refuses, and reads all others alike', () => {
    const alphabet = fc.constantFrom(
      ...'{}[]",:\\u0019eE+-. \n/tfb',
      'true',
      'null',
      '"a"',
      '\\u0061',
      '\\ud83d',
      '😀',
    );
    fc.assert(
      fc.property(fc.array(alphabet, { maxLength: 12 }), (pieces) => {
        const text = pieces.join('');
        let read: JsonValue;
        try {
          read = parse(text);
        } catch (error) {
          expect(error).toBeInstanceOf(StrictJsonError);
          return;
        }
        expect(read).toStrictEqual(JSON.parse(text));
      }),
      { numRuns: 2000 },
    );
  });

  it.each([
    ['null', null],
    [' \t\r\n"x" ', 'x'],
    ['-0', -0],
    ['-0.0', -0],
    ['0.0e-99999', 0],
    ['9007199254740991', 9007199254740991],
    ['-9007199254740991', -9007199254740991],
    ['9.007199254740991e15', 9007199254740991],
    ['123456789012345.25', 123456789012345.25],
    ['5e-324', 5e-324],
    ['0.1', 0.1],
    ['100.50', 100.5],
    ['1.0', 1],
    ['1E+2', 100],
    ['"\\ud83d\\ude00"', '😀'],
    ['"\\"\\\\\\/\\b\\f\\n\\r\\t\\u0000"', '"\\/\b\f\n\r\t\u0000'],
    ['"\u2028\u007f\uffff"', '\u2028\u007f\uffff'],
    ['[[],{},[{}]]', [[], {}, [{}]]],
    ['{"constructor":1,"toString":2,"":3,"1":4}', { constructor: 1, toString: 2, '': 3, '1': 4 }],
  ])('reads %s', (text, value) => {
    expect(parse(text)).toStrictEqual(value);
  });

  it('reads 64 levels of nesting', () => {
    expect(JSON.stringify(parse('['.repeat(64) + ']'.repeat(64)))).toBe('['.repeat(64) + ']'.repeat(64));
  });

  it('reads a body with very many members', () => {
    const text = `{${Array.from({ length: 60_000 }, (_, n) => `"${n.toString(36)}":1`).join()}}`;
    expect(Object.keys(parse(text) as object)).toHaveLength(60_000);
  });
});

describe('a text that two readers could see differently is refused', () => {
  it.each([
    ['{"a":1,"a":2}', 7, '/a', 'twice'],
    ['{"a":1,"\\u0061":2}', 7, '/a', 'twice'],
    ['{"é":{"k/~":[0,{"x":1,"x":1}]}}', 23, '/é/k~1~0/1/x', 'twice'],
    ['{"hasOwnProperty":1,"hasOwnProperty":1}', 20, '/hasOwnProperty', 'twice'],
    ['{"__proto__":{}}', 1, '/__proto__', '__proto__'],
    ['{"a":[{"\\u005f_proto\\u005f_":null}]}', 7, '/a/0/__proto__', '__proto__'],
    ['"\\ud800"', 0, '', 'lone surrogate'],
    ['["\\udc00\\ud800"]', 1, '/0', 'lone surrogate'],
    ['["\\ud800\\u0041"]', 1, '/0', 'lone surrogate'],
    ['["\\ud83d😀"]', 1, '/0', 'lone surrogate'],
    ['{"\\udead":1}', 1, '', 'lone surrogate'],
    ['9007199254740992', 0, '', '9007199254740991'],
    ['9007199254740993', 0, '', '9007199254740991'],
    ['{"n":-9007199254740993.0}', 5, '/n', '9007199254740991'],
    ['100.00000000000000001', 0, '', 'more digits than a double'],
    ['{"n":[0.30000000000000004441]}', 6, '/n/0', 'more digits than a double'],
    ['{"n":9007199254740991.4}', 5, '/n', 'more digits than a double'],
    ['-4.9e-324', 0, '', 'more digits than a double'],
    ['9007199254740993.5', 0, '', '9007199254740991'],
    ['90071992547409930e-1', 0, '', '9007199254740991'],
    ['1e300', 0, '', '9007199254740991'],
    ['1e16', 0, '', '9007199254740991'],
    ['1e400', 0, '', 'too large'],
    ['-1e400', 0, '', 'too large'],
    [`1${'0'.repeat(400)}`, 0, '', 'too large'],
    ['1e-400', 0, '', 'too close to zero'],
    ['[0, -0.001e-400]', 4, '/1', 'too close to zero'],
  ])('%s', (text, position, path, words) => {
    const error = refusal(text);
    expect(error.message).toContain(words);
    expect({ position: error.position, path: error.path }).toStrictEqual({ position, path });
  });

  it.each([
    ['a byte order mark', [0xef, 0xbb, 0xbf, 0x7b, 0x7d], 0, 'byte order mark'],
    ['UTF-16', [0xff, 0xfe, 0x7b, 0x00], 0, 'UTF-8'],
    ['a stray continuation byte', [0x22, 0x80, 0x22], 1, 'UTF-8'],
    ['an overlong slash', [0x22, 0x61, 0xc0, 0xaf, 0x22], 2, 'UTF-8'],
    ['a surrogate in UTF-8', [0x22, 0xed, 0xa0, 0x80, 0x22], 2, 'UTF-8'],
    ['beyond U+10FFFF', [0x22, 0xf4, 0x90, 0x80, 0x80, 0x22], 2, 'UTF-8'],
    ['a sequence cut off at the end', [0x22, 0x61, 0xe2, 0x82], 3, 'UTF-8'],
  ])('%s', (_, bytes, position, words) => {
    const error = refusal(bytes);
    expect(error.message).toContain(words);
    expect(Math.abs(error.position - position)).toBeLessThanOrEqual(1);
  });
});

describe('a text that is not JSON is refused', () => {
  it.each([
    '',
    ' ',
    '{',
    '[',
    '[1',
    '[1,',
    '[1,]',
    '{"a"',
    '{"a":',
    '{"a":1',
    '{"a":1,}',
    '{a:1}',
    "{'a':1}",
    '{"a" 1}',
    '{,}',
    '[,]',
    '"',
    '"\\',
    '"\\u12',
    '"\\u12g4"',
    '"\\x41"',
    '"\\U0041"',
    '"a\nb"',
    '"\u0000"',
    '01',
    '-01',
    '-',
    '+1',
    '.5',
    '1.',
    '1.e5',
    '1e',
    '1e+',
    '0x10',
    '1_000',
    'NaN',
    'Infinity',
    '-Infinity',
    'undefined',
    'tru',
    'nul',
    'True',
    '{} {}',
    '1 2',
    'true1',
    'null,',
    '// c\n1',
    '/* */1',
    '[1]\u0000',
    '\u00a01',
    '\ufeff{}',
    '[1\f]',
  ])('%j', (text) => {
    expect(refusal(text)).toBeInstanceOf(StrictJsonError);
  });

  it('and the error names the byte, not the character', () => {
    expect(refusal('["ééé", x]').position).toBe(11);
  });

  it('and the error shows a hostile member name escaped and shortened', () => {
    const name = `\u202e\\n${'x'.repeat(5000)}`;
    const { message } = refusal(`{"${name}":1,"${name}":2}`);
    expect(message.length).toBeLessThan(400);
  });
});

describe('a nesting bomb', () => {
  it('is refused at the 65th level, with a position', () => {
    const error = refusal('['.repeat(65) + ']'.repeat(65));
    expect(error.message).toContain('64 levels');
    expect(error.position).toBe(64);
  });

  it('is refused without recursion into its depth', () => {
    expect(refusal('['.repeat(200_000)).message).toContain('64 levels');
    expect(refusal('{"a":'.repeat(50_000)).message).toContain('64 levels');
  });

  it('is measured by depth, not by the number of containers', () => {
    expect(parse(`[${Array(1000).fill('[[]]').join()}]`)).toHaveLength(1000);
  });

  it('is refused at another level if the caller sets one', () => {
    expect(() => parse('[[]]', { maxDepth: 1 })).toThrow(StrictJsonError);
    expect(parse('[]', { maxDepth: 1 })).toStrictEqual([]);
    expect(() => parse('{}', { maxDepth: 0 })).toThrow(StrictJsonError);
  });
});
