import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ApiKeyForm, formatApiKey, parseApiKey } from './api-key.ts';

const forms: ApiKeyForm[] = [
  { kind: 'agent', mode: 'test' },
  { kind: 'agent', mode: 'live' },
  { kind: 'secret', mode: 'test' },
  { kind: 'secret', mode: 'live' },
  { kind: 'verify', mode: 'test' },
  { kind: 'verify', mode: 'live' },
  { kind: 'user', mode: null },
];
const bytes = fc.uint8Array({ minLength: 32, maxLength: 32 });

function toNumber(base62: string): bigint {
  const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
  return [...base62].reduce((number, digit) => number * 62n + BigInt(digits.indexOf(digit)), 0n);
}

describe('an API key', () => {
  it('names its kind and mode, contains all of its random bytes, and ends in a CRC-32', () => {
    fc.assert(
      fc.property(fc.constantFrom(...forms), bytes, (form, random) => {
        const key = formatApiKey(form.kind, form.mode, random);
        expect(parseApiKey(key)).toStrictEqual(form);
        expect(toNumber(key.slice(-49, -6))).toBe(BigInt(`0x${Buffer.from(random).toString('hex')}`));
        expect(toNumber(key.slice(-6))).toBe(BigInt(crc32(key.slice(0, -6))));
      }),
    );
  });

  it('is read by its prefix', () => {
    const prefixes = forms.map(({ kind, mode }) =>
      formatApiKey(kind, mode, new Uint8Array(32)).slice(0, -49),
    );
    expect(prefixes).toStrictEqual([
      'prm_agent_test_',
      'prm_agent_live_',
      'prm_secret_test_',
      'prm_secret_live_',
      'prm_verify_test_',
      'prm_verify_live_',
      'prm_user_',
    ]);
    expect(formatApiKey('user', null, new Uint8Array(32).fill(255))).toHaveLength('prm_user_'.length + 49);
  });

  it('is refused with any character changed', () => {
    fc.assert(
      fc.property(bytes, fc.nat(64), fc.constantFrom(...'0Az_ é'), (random, at, character) => {
        const key = formatApiKey('secret', 'live', random);
        const changed = key.slice(0, at % key.length) + character + key.slice((at % key.length) + 1);
        if (changed !== key) expect(parseApiKey(changed)).toBeUndefined();
      }),
    );
  });

  const good = formatApiKey('agent', 'live', new Uint8Array(32).fill(9));
  it.each([
    '',
    'prm_',
    good.slice(0, -1),
    `${good}0`,
    ` ${good}`,
    `${good}\n`,
    good.replace('live', 'test'),
    good.replace('agent', 'secret'),
    good.toLowerCase(),
  ])('%j is not an API key', (text) => {
    expect(parseApiKey(text)).toBeUndefined();
  });

  it('is made of exactly 32 bytes, with a mode only for kinds that have one', () => {
    expect(() => formatApiKey('agent', 'live', new Uint8Array(31))).toThrow(RangeError);
    expect(() => formatApiKey('agent', null, new Uint8Array(32))).toThrow(RangeError);
    expect(() => formatApiKey('user', 'live', new Uint8Array(32))).toThrow(RangeError);
  });
});
