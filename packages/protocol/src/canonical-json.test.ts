import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import vectors from '../test-data/rfc8785.vectors.json' with { type: 'json' };
import { auditEventHash, auditRecordHash, commitText } from './audit-record.ts';
import { canonicalAnyhow, canonicalJson, canonicalString } from './canonical-json.ts';
import { hashJson, intentHash, isSha256Hash } from './hashes.ts';
import type { JsonObject, JsonValue } from './json.ts';
import { sha256Hex } from './sha256.ts';
import { parseStrictJson } from './strict-json.ts';

function toDouble(hex: string): number {
  return Buffer.from(hex, 'hex').readDoubleBE();
}

describe('the examples of RFC 8785', () => {
  it.each(vectors.documents)('$name', ({ input, canonical, utf8 }) => {
    // Uses JSON.parse instead of the strict reader, because the strict reader refuses 1E30.
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

describe('beyond the examples of the RFC', () => {
  it.each(vectors.own)('$name', ({ input, canonical }) => {
    expect(canonicalJson(parseStrictJson(new TextEncoder().encode(input)))).toBe(canonical);
  });

  it('a canonical form is canonical itself, and the same for any order of members', () => {
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

describe('both ways of writing canonical JSON give the same text', () => {
  const names = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.constantFrom('10', '9', '01', '-1', '__proto__', ''),
  );
  const { tree } = fc.letrec<{ tree: JsonValue }>((tie) => ({
    tree: fc.oneof(
      { depthSize: 'small' },
      fc.jsonValue({ maxDepth: 0 }),
      fc.array(tie('tree'), { maxLength: 3 }),
      fc.dictionary(names, tie('tree'), { maxKeys: 5, noNullPrototype: true }),
    ) as fc.Arbitrary<JsonValue>,
  }));

  it('for any value', () => {
    fc.assert(
      fc.property(tree, (value) => {
        expect(canonicalJson(value)).toBe(canonicalAnyhow(value));
      }),
    );
  });

  it('for a value nested deeper than either stack allows', () => {
    for (const deep of [4_000, 6_000, 8_000, 10_000, 12_000, 16_000, 100_000]) {
      let value: JsonValue = 1;
      for (let depth = 0; depth < deep; depth++) value = [value];
      expect(canonicalJson(value)).toBe(`${'['.repeat(deep)}1${']'.repeat(deep)}`);
    }
  });
});

function reversed(value: JsonValue): JsonValue {
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map(reversed);
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([name, property]) => [name, reversed(property)]),
  );
}

describe('a value that is not JSON has no canonical form', () => {
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

describe('a hash', () => {
  it('is that of the canonical text', () => {
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

  it('of an intent covers every property of an intent and nothing else', () => {
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
    for (const property of Object.keys(other) as (keyof typeof other)[]) {
      expect(intentHash({ ...intent, [property]: other[property] })).not.toBe(whole);
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
  ])('never has the form %j', (text) => {
    expect(isSha256Hash(text)).toBe(false);
  });
});

describe('canonicalString', () => {
  it('writes a string as canonicalJson does, and refuses a lone surrogate', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(canonicalString(text)).toBe(canonicalJson(text));
      }),
    );
    expect(() => canonicalString('\ud800')).toThrow(TypeError);
  });
});

describe('a hash assembled from canonical parts equals the hash of the whole', () => {
  const text = fc.string({ unit: 'grapheme' });

  it('for an intent', () => {
    const params = fc.dictionary(text, fc.jsonValue());
    fc.assert(
      fc.property(params, params, text, fc.option(text), (first, second, action, source) => {
        const intent = {
          project: 'prj_1',
          intent: 'int_1',
          action,
          params: first as JsonObject,
          requester: 'agt_1',
          source,
          source_type: 'ci',
          risk_tier: 'low',
          metadata: second as JsonObject,
          expires_at: '2026-11-20T05:37:00.000Z',
        } as const;
        expect(intentHash(intent)).toBe(hashJson(intent));
        expect(intentHash(intent, canonicalJson(intent.params))).toBe(hashJson(intent));
      }),
    );
  });

  it('for an event, its place in the chain and its texts', () => {
    fc.assert(
      fc.property(text, fc.dictionary(text, fc.jsonValue()), fc.option(text), (display, data, intentId) => {
        const event = {
          id: 'evt_1',
          type: 'intent.created',
          occurred_at: '2026-11-20T05:37:00.000Z',
          actor: { type: 'agent' as const, id: 'agt_1', display },
          intent_id: intentId,
          data: data as JsonObject,
        };
        expect(auditEventHash('prj_1', { ...event, commitments: {} })).toBe(
          hashJson({ project: 'prj_1', ...event, commitments: {} }),
        );
        const digest = commitText(display, 'salt');
        expect(digest).toBe(hashJson({ salt: 'salt', text: display }));
        const commitments = { '/actor/display': { digest, salt: 'salt' } };
        expect(auditEventHash('prj_1', { ...event, commitments })).toBe(
          hashJson({
            project: 'prj_1',
            ...event,
            actor: { ...event.actor, display: null },
            commitments: { '/actor/display': digest },
          }),
        );
        expect(auditRecordHash(digest, 7, digest)).toBe(
          hashJson({ prev_hash: digest, seq: 7, event_hash: digest }),
        );
      }),
    );
  });
});
