import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import vectors from '../test-data/rfc8785.vectors.json' with { type: 'json' };
import { canonicalJson } from './canonical-json.ts';
import { hashJson, intentHash, isSha256Hash } from './hashes.ts';
import type { JsonValue } from './json.ts';
import { sha256Hex } from './sha256.ts';
import { parseStrictJson } from './strict-json.ts';

function toDouble(hex: string): number {
  return Buffer.from(hex, 'hex').readDoubleBE();
}

describe('the examples of RFC 8785', () => {
  it.each(vectors.documents)('$name', ({ input, canonical, utf8 }) => {
    // Not the strict reader, which refuses 1E30.
    const text = canonicalJson(JSON.parse(input));
    expect(text).toBe(canonical);
    if (utf8 !== undefined) expect(Buffer.from(text).toString('hex')).toBe(utf8);
  });

  it.each(vectors.numbers)('number $ieee754', ({ ieee754, json }) => {
    const value = toDouble(ieee754);
    if (json === null) expect(() => canonicalJson(value)).toThrow(TypeError);
    else expect(canonicalJson([value])).toBe(`[${json}]`);
  });
});

describe('what the RFC says without an example', () => {
  it.each(vectors.own)('$name', ({ input, canonical }) => {
    expect(canonicalJson(parseStrictJson(new TextEncoder().encode(input)))).toBe(canonical);
  });

  it('is its own canonical form, and that of any order of members', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'grapheme' }), (value) => {
        const text = canonicalJson(value as JsonValue);
        expect(canonicalJson(JSON.parse(text))).toBe(text);
        expect(canonicalJson(reversed(value as JsonValue))).toBe(text);
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });
});

function reversed(value: JsonValue): JsonValue {
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map(reversed);
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([name, member]) => [name, reversed(member)]),
  );
}

describe('what is not JSON has no canonical form', () => {
  const cycle: { self?: unknown } = {};
  cycle.self = cycle;
  it.each([
    ['undefined', undefined],
    ['a member that is undefined', { a: undefined }],
    ['an element that is undefined', [undefined]],
    ['a hole', new Array(1)],
    ['NaN', [Number.NaN]],
    ['Infinity', { a: Number.POSITIVE_INFINITY }],
    ['a lone surrogate in a text', ['\ud800']],
    ['a lone surrogate in a name', { '\udc00': 1 }],
    ['a function', { a: () => 1 }],
    ['a symbol', [Symbol('a')]],
    ['a BigInt', [1n]],
    ['a date', { at: new Date(0) }],
    ['a map', new Map()],
    ['bytes', Uint8Array.of(1)],
    ['a boxed number', [Object(1)]],
    ['an own toJSON', { toJSON: () => 1 }],
    ['a cycle', cycle],
  ])('%s', (_, value) => {
    expect(() => canonicalJson(value as JsonValue)).toThrow(TypeError);
  });
});

describe('hashes', () => {
  it('hashes the canonical text', () => {
    expect(hashJson({ b: -0, a: 1 })).toBe(`sha256:${sha256Hex('{"a":1,"b":0}')}`);
    expect(isSha256Hash(hashJson({}))).toBe(true);
  });

  const intent = {
    project: 'prj_1',
    intent: 'int_1',
    action: 'mail.send',
    params: { to: 'a@example.org' },
    requester: 'agt_1',
    source: null,
    source_type: 'ai_agent',
    risk_tier: 'low',
    metadata: {},
    expires_at: '2026-11-20T05:37:00.000Z',
  } as const;

  it('hashes all of an intent and nothing else', () => {
    const other = {
      project: 'prj_2',
      intent: 'int_2',
      action: 'mail.Send',
      params: {},
      requester: 'agt_2',
      source: '',
      source_type: 'ci',
      risk_tier: 'high',
      metadata: { a: 1 },
      expires_at: '2026-11-20T05:37:00.001Z',
    } as const;
    const whole = intentHash(intent);
    for (const member of Object.keys(other) as (keyof typeof other)[]) {
      expect(intentHash({ ...intent, [member]: other[member] })).not.toBe(whole);
    }
    expect(intentHash({ ...intent, more: 1 } as typeof intent)).toBe(whole);
  });

  it.each([
    '',
    'sha256:',
    `sha256:${'A'.repeat(64)}`,
    `sha512:${'a'.repeat(64)}`,
    `sha256:${'a'.repeat(65)}`,
    ` sha256:${'a'.repeat(64)}`,
    `sha256:${'a'.repeat(64)}\n`,
  ])('%j is not the form of a hash', (text) => {
    expect(isSha256Hash(text)).toBe(false);
  });
});
