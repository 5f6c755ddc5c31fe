import { hashJson, type JsonObject, type JsonValue } from '@permitry/protocol';
import { describe, expect, it } from 'vitest';
import { createArgumentChecker } from './argument-checker.ts';

const checker = createArgumentChecker();
const check = (schema: JsonObject, given: JsonObject) => checker.check(schema, hashJson(schema), given);
const object = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: 'object',
  properties,
  ...more,
});
const nested = (depth: number, inner: JsonValue = {}): JsonObject =>
  Array.from({ length: depth }).reduce<JsonObject>((value) => ({ next: value }), { next: inner });

describe('the argument checker', () => {
  it('reports all problems at once, each with its path', () => {
    const schema = object(
      {
        to: { type: 'string' },
        'a/b': { type: 'object', required: ['x'] },
        n: { type: 'integer', maximum: 5 },
      },
      { required: ['to', 'n'], additionalProperties: false },
    );
    expect(check(schema, { to: 'a', n: 5 })).toEqual([]);
    expect(check(schema, { 'a/b': {}, n: 6, other: 1 })).toEqual([
      { path: '/arguments/to', message: 'is required', missing: true },
      { path: '/arguments/other', message: 'is not a known property', missing: false },
      { path: '/arguments/a~1b/x', message: 'is required', missing: true },
      { path: '/arguments/n', message: 'must be <= 5', missing: false },
    ]);
  });

  it('supports the drafts that servers use, and ignores formats', () => {
    const draft7 = object(
      { pair: { type: 'array', items: [{ type: 'string' }, { type: 'number' }] }, mail: { format: 'email' } },
      { $schema: 'http://json-schema.org/draft-07/schema#' },
    );
    expect(check(draft7, { pair: ['a', 1], mail: 'none' })).toEqual([]);
    expect(check(draft7, { pair: [1, 1] })).toMatchObject([{ path: '/arguments/pair/0' }]);
    const older = { ...draft7, $schema: 'http://json-schema.org/draft-06/schema#' };
    expect(check(older, { pair: [1, 1] })).toMatchObject([{ path: '/arguments/pair/0' }]);
    const named = object(
      { pair: { $ref: '#/$defs/a~1b%3C%20%3E' } },
      { $id: 'https://example.org/pair.json', $defs: { 'a/b< >': { type: 'array' } } },
    );
    expect(check(named, { pair: 1 })).toMatchObject([{ path: '/arguments/pair' }]);
    const current = object({ pair: { type: 'array', prefixItems: [{ type: 'string' }] } });
    expect(check(current, { pair: [1] })).toMatchObject([{ path: '/arguments/pair/0' }]);
  });

  it('needs only linear time for a pattern that was made to be slow', () => {
    const schema = object({ text: { type: 'string', pattern: '^(a+)+$' } });
    expect(check(schema, { text: `${'a'.repeat(50_000)}!` })).toMatchObject([{ path: '/arguments/text' }]);
    expect(check(schema, { text: 'aaa' })).toEqual([]);
    const two = object({ a: { pattern: '^a$' }, b: { pattern: '^b$' } });
    expect(check(two, { a: 'a', b: 'b' })).toEqual([]);
    // The gate does not check patterns that need more than linear time.
    const ahead = object({ mail: { type: 'string', pattern: '^(?!\\.)a@b$' } });
    expect(check(ahead, { mail: 'x' })).toEqual([]);
  });

  it('refuses arguments that would take forever to check', () => {
    const doubling: JsonObject = {
      type: 'object',
      oneOf: [
        { properties: { next: { $ref: '#' } }, required: ['next', 'x'] },
        { properties: { next: { $ref: '#' } } },
      ],
    };
    expect(check(doubling, nested(3))).not.toMatchObject([
      { message: expect.stringContaining('too deeply') },
    ]);
    expect(check(doubling, nested(60))).toMatchObject([
      { path: '/arguments', message: expect.stringContaining('too deeply') },
    ]);
    // A schema that refers to itself once per level is accepted.
    const list = object({ next: { $ref: '#' }, value: { type: 'number' } });
    expect(check(list, nested(60, { value: 1 }))).toEqual([]);
    expect(check(list, nested(60, { value: 'a' }))).toHaveLength(1);
  });

  it('limits the total time that patterns take in one call', () => {
    const schema = object({ all: { type: 'array', items: { type: 'string', pattern: '(.*a){200}$' } } });
    expect(check(schema, { all: ['a'.repeat(300)] })).toEqual([]);
    expect(check(schema, { all: Array.from({ length: 60 }, () => 'a'.repeat(4000)) })).toMatchObject([
      { path: '/arguments', message: expect.stringContaining('too deeply') },
    ]);
    // Each call starts with the full limit again.
    expect(check(schema, { all: ['a'.repeat(300)] })).toEqual([]);
  });

  it('checks many items for uniqueness quickly', () => {
    const schema = object({
      ids: { type: 'array', uniqueItems: true, items: { type: ['array', 'number'] } },
    });
    const ids = Array.from({ length: 40_000 }, (_, n): JsonValue => [n]);
    expect(check(schema, { ids })).toEqual([]);
    expect(check(schema, { ids: [...ids, [7]] })).toMatchObject([{ path: '/arguments/ids' }]);
  });
});

describe('a schema that was made slow to compile', () => {
  const properties = (count: number, property: JsonValue): JsonObject =>
    Object.fromEntries(Array.from({ length: count }, (_, n) => [`m${n}`, property]));

  it('is compiled without a copy of a part for each reference to it', () => {
    const part = object(properties(500, { type: 'string', minLength: 3 }));
    const schema = object(properties(400, { $ref: '#/$defs/part' }), { $defs: { part } });
    expect(check(schema, { m7: { m9: 'ab' } })).toMatchObject([{ path: '/arguments/m7/m9' }]);
  });

  it('is compiled without a pattern that repeats too much', () => {
    const schema = object(properties(30, { type: 'string', pattern: 'a{1000}'.repeat(280) }));
    expect(check(schema, { m7: 'b' })).toEqual([]);
  });

  it.each<[string, JsonObject]>([
    ['parts', object(properties(2000, { minLength: 1 }))],
    ['lists', { dependentRequired: properties(2000, ['a']) }],
    [
      'patterns',
      { patternProperties: Object.fromEntries(Array.from({ length: 90 }, (_, n) => [`a{900}${n}`, {}])) },
    ],
    [
      'parts with names of their own',
      object(
        {},
        { $defs: Object.fromEntries(Array.from({ length: 1600 }, (_, n) => [`d${n}`, { $id: `x${n}` }])) },
      ),
    ],
    ['names that belong to one member', { dependentRequired: { a: Object.keys(properties(3000, true)) } }],
    ['patterns in one condition', { patternProperties: properties(2000, true), additionalProperties: false }],
    ['members in one condition', { properties: properties(3000, true), unevaluatedProperties: false }],
    [
      'members that each of many choices may have checked',
      {
        anyOf: Array.from({ length: 400 }, () => ({ $ref: '#/$defs/part' })),
        $defs: { part: { properties: properties(400, true) } },
        unevaluatedProperties: false,
      },
    ],
  ])('is refused for the number of its %s before anything is compiled', (_, schema) => {
    expect(checker.effortFor(schema)).toBeGreaterThan(1500);
    expect(() => check(schema, {})).toThrow('This tool cannot be called');
  });

  it('is not confused with a schema that has many choices of many members, each used in several places', () => {
    const kinds = properties(15, object(properties(30, { type: 'string' })));
    const union = { anyOf: Object.keys(kinds).map((name) => ({ $ref: `#/$defs/${name}` })) };
    const schema = object(properties(20, union), { $defs: kinds });
    expect(check(schema, { m7: { m9: 'a' } })).toEqual([]);
    expect(check(schema, { m7: { m9: 1 } })).not.toEqual([]);
  });

  it('is compiled without notes on what each choice checked, where nothing needs them', () => {
    const part = object(properties(400, true), { required: ['m399'] });
    const schema = { anyOf: Array.from({ length: 400 }, () => ({ $ref: '#/$defs/part' })), $defs: { part } };
    expect(checker.effortFor(schema)).toBeLessThan(500);
    expect(check(schema, { m399: 1 })).toEqual([]);
  });

  it('still refuses members that none of its parts checks, and accepts those that several check', () => {
    const part = object({ a: true, b: true });
    const schema = object(
      { c: true },
      { allOf: [{ $ref: '#/$defs/part' }], $defs: { part }, unevaluatedProperties: false },
    );
    expect(check(schema, { a: 1, b: 1, c: 1 })).toEqual([]);
    expect(check(schema, { a: 1, d: 1 })).toEqual([
      { path: '/arguments/d', message: 'is not a known property', missing: false },
    ]);
    const list = { ...object({ all: { prefixItems: [true], unevaluatedItems: false } }) };
    expect(check(list, { all: [1] })).toEqual([]);
    expect(check(list, { all: [1, 2] })).toMatchObject([{ path: '/arguments/all' }]);
  });

  it('is refused if its patterns together are too large', () => {
    const all = Array.from({ length: 30 }, (_, n): JsonValue => ({ pattern: `a{900}b{900}${n}` }));
    expect(() => check(object({ a: { allOf: all } }), {})).toThrow('This tool cannot be called');
  });
});

describe('a schema that cannot be used', () => {
  /** A schema whose cost doubles with every level if `$ref` names the schema itself. */
  const twice = ($ref: string): JsonObject => ({ properties: { next: { allOf: [{ $ref }, { $ref }] } } });
  const unusable: Record<string, JsonObject> = {
    'refers to another document': object({ a: { $ref: 'https://example.org/schema.json' } }),
    'refers to itself in the same place': { $ref: '#' },
    'refers to itself in the same place indirectly': {
      allOf: [{ $ref: '#/$defs/a' }],
      $defs: { a: { anyOf: [{ $ref: '#/$defs/b' }] }, b: { not: { $ref: '#/$defs/a' } } },
    },
    'refers to a missing part': object({ a: { $ref: '#/$defs/none' } }),
    'uses a dynamic reference': object({ a: { $dynamicRef: '#node' } }),
    'uses a dynamic reference far below': object({
      a: object({ b: object({ c: { $dynamicRef: '#node' } }) }),
    }),
    'would be answered asynchronously': { $async: true, ...object({ a: { type: 'number' } }) },
    'is not a schema': { type: 'thing' },
    'refers to itself by a word that is read as a member of it': { '': {}, ...twice('#/') },
    'refers to a part by a word that is read as the name of another': {
      $defs: { 'x#': {}, x: twice('#/$defs/x#') },
      ...twice('#/$defs/x#'),
    },
    'refers to places of a part that has a name of its own': object(
      { next: { $id: 'https://example.org/x', ...twice('#/$defs/x'), $defs: { x: twice('#/$defs/x') } } },
      { $defs: { x: {} } },
    ),
    'names a part as if it were the place of another': {
      $schema: 'http://json-schema.org/draft-07/schema#',
      $id: 'https://example.org/r',
      definitions: { x: {}, y: { $id: 'https://example.org/r#/definitions/x', ...twice('#/definitions/x') } },
      ...twice('#/definitions/x'),
    },
    'is named as if it were the place of a part': {
      $schema: 'http://json-schema.org/draft-07/schema#',
      $id: 'https://example.org/r#/definitions/x',
      definitions: { x: {} },
      ...twice('#/definitions/x'),
    },
    'names only a part of a draft': {
      $schema: 'https://json-schema.org/draft/2020-12/meta/format-annotation',
      type: 'thing',
    },
    'is too large': object({ a: { description: 'x'.repeat(200_000) } }),
    'is wider than its generated code can be nested': object(
      Object.fromEntries(Array.from({ length: 3000 }, (_, n) => [`m${n}`, { type: 'string', minLength: 3 }])),
    ),
    'has an unknown draft': { $schema: 'http://json-schema.org/draft-03/schema#' },
  };
  it.each(Object.entries(unusable))('%s, so no arguments are accepted', (_name, schema) => {
    expect(() => check(schema, {})).toThrow('This tool cannot be called');
    // Refuses again from the cache, which keeps refusals like compiled schemas.
    expect(() => check(schema, {})).toThrow('This tool cannot be called');
  });
});
