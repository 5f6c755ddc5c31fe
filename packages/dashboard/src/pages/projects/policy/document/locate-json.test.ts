import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatJson } from './format-json.ts';
import { type Finding, locateFindings } from './locate-findings.ts';
import { locateJson, offsetInString } from './locate-json.ts';

function located(text: string) {
  const found = locateJson(text);
  if (!found.ok) throw new Error(found.message);
  return found;
}

describe('locating values in a JSON text', () => {
  test('finds every value where it is in the text', () => {
    const text = '{ "a": [1, "x\\ny"],\n "b/c~": {"d": null} }';
    const { value, ranges } = located(text);
    expect(value).toEqual(JSON.parse(text));
    const at = (pointer: string) => {
      const place = ranges.get(pointer);
      return place && text.slice(place.from, place.to);
    };
    expect(at('')).toBe(text);
    expect(at('/a')).toBe('[1, "x\\ny"]');
    expect(at('/a/1')).toBe('"x\\ny"');
    expect(at('/b~1c~0/d')).toBe('null');
    const name = ranges.get('/b~1c~0/d')?.name;
    expect(text.slice(name?.from, name?.to)).toBe('"d"');
    expect([...ranges.keys()]).toHaveLength(6);
  });

  test('reads a document as JSON.parse does, indented or not', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), fc.boolean(), (value, isPretty) => {
        const text = JSON.stringify(value, null, isPretty ? 2 : 0);
        if (text.includes('"__proto__"')) return;
        const { value: read, ranges } = located(text);
        expect(read).toEqual(JSON.parse(text));
        for (const [pointer, { from, to }] of ranges) {
          expect(() => JSON.parse(text.slice(from, to)), pointer).not.toThrow();
        }
      }),
    );
  });

  test('accepts nothing that JSON.parse refuses, and refuses more only where a digit or a name would be lost', () => {
    const piece = fc.constantFrom(...'{}[],:"\\ \n019.-e/*', '"a"', 'true', 'null', '\\u00e9', '\u00a0');
    const text = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''));
    const parse = (json: string): { value: unknown } | undefined => {
      try {
        return { value: JSON.parse(json) };
      } catch {
        return undefined;
      }
    };
    fc.assert(
      fc.property(text, (json) => {
        const read = locateJson(json);
        if (read.ok) expect({ value: read.value }).toEqual(parse(json));
        else if (parse(json)) expect(read.message).toMatch(/stored exactly|Duplicate name/);
      }),
      { numRuns: 3000 },
    );
  });

  test.each([
    ['{"a": 1,}', 8, 'Expected a name in double quotes'],
    ['{"a" 1}', 5, 'Expected a colon'],
    ['{"a": 1 "b": 2}', 8, 'Expected a comma or }'],
    ['[1 2]', 3, 'Expected a comma or ]'],
    ['{"a": }', 6, 'Expected a value'],
    ['{"a": yes}', 6, 'yes is not valid JSON: strings need double quotes'],
    ['{"a": 100.00000000000000001}', 6, '100.00000000000000001 can’t be stored exactly. Round it'],
    ['{"a": 9007199254740993.0}', 6, '9007199254740993.0 can’t be stored exactly. Round it'],
    ['{"a": 1e-400}', 6, '1e-400 can’t be stored exactly. Round it'],
    ['{"a": "x\n"}', 6, 'This string has no closing quotation mark'],
    ['{"a": "\\x"}', 6, 'This string has an invalid escape sequence or control character'],
    ['{"a": 1, "a": 2}', 9, 'Duplicate name “a”'],
    ['{"__proto__": 1}', 1, 'This name is not allowed'],
    ['{} x', 3, 'Unexpected text after the end of the document'],
    ['', 0, 'Unexpected end of the text'],
    ['[', 1, 'Unexpected end of the text'],
    ['['.repeat(100), 65, 'Nested too deeply'],
  ])('refuses with a position and a message: %s', (text, at, message) => {
    expect(locateJson(text)).toEqual({ ok: false, at, message });
  });

  test('finds the characters of a string that contains escapes', () => {
    const text = '"a\\n\\u0041b"';
    const range = { from: 0, to: text.length };
    expect([0, 1, 2, 3, 9].map((offset) => text.slice(offsetInString(text, range, offset)))).toEqual([
      'a\\n\\u0041b"',
      '\\n\\u0041b"',
      '\\u0041b"',
      'b"',
      '"',
    ]);
  });
});

describe('findings of the gate', () => {
  const document = {
    name: 'p',
    default: { approvers: ['role:owner', 'treasury'] },
    rules: [{ name: 'big', when: 'params.a ==\n  parms.b && \'é\' == "x"', effect: 'deny', extra: 1 }],
  };
  const text = formatJson(document);
  const place = (...findings: Partial<Finding>[]) =>
    locateFindings(
      text,
      located(text).ranges,
      findings.map((finding) => ({ path: '', message: 'm', place: null, severity: 'error', ...finding })),
    ).map(({ range, line, column }) => ({ shown: text.slice(range.from, range.to), line, column }));

  test('are placed at a word of an expression, by the line and column in it', () => {
    const at = { path: '/rules/0/when' };
    const [word] = place({ ...at, place: { line: 2, column: 3 } });
    expect(word?.shown).toBe('parms');
    expect(text.split('\n')[(word?.line ?? 0) - 1]?.slice((word?.column ?? 0) - 1)).toMatch(/^parms\.b/);
    expect(place({ ...at, place: { line: 2, column: 15 } })[0]?.shown).toBe('é');
    expect(place({ ...at, place: { line: 1, column: 1 } })[0]?.shown).toBe('params');
    // A position past the end, where something is missing, marks the last character.
    expect(place({ ...at, place: { line: 2, column: 99 } })[0]?.shown).toBe('"');
  });

  test('are placed at a value, at the name of a rule or list, or at the parent of a missing value', () => {
    expect(place({ path: '/default/approvers/1' })[0]?.shown).toBe('"treasury"');
    expect(place({ path: '/rules/0' })[0]?.shown).toBe('"big"');
    expect(place({ path: '/rules/0/match' })[0]?.shown).toBe('"big"');
    expect(place({ path: '/rules/0/extra' })[0]?.shown).toBe('1');
    expect(place({ path: '/default/approvers' })[0]?.shown).toBe('"approvers"');
    expect(place({ path: '' })[0]).toEqual({ shown: '{', line: 1, column: 1 });
    expect(place({ path: '/nothing' })[0]?.shown).toBe('{');
  });

  test('are in the order of the text', () => {
    const shown = place({ path: '/rules/0' }, { path: '/default/approvers/1' }, { path: '/name' });
    expect(shown.map((one) => one.shown)).toEqual(['"p"', '"treasury"', '"big"']);
  });
});

test('formatting does not change the document, and keeps short values on one line', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
      expect(JSON.parse(formatJson(value as never))).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
  expect(
    formatJson({
      name: 'p',
      default: { approvers: ['a'] },
      rules: [{ name: 'x', effect: 'allow' }],
      more: {},
    }),
  ).toBe(
    '{\n  "name": "p",\n  "default": { "approvers": ["a"] },\n  "rules": [\n    { "name": "x", "effect": "allow" }\n  ],\n  "more": {}\n}',
  );
});
