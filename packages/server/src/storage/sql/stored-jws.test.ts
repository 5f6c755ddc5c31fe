import { encodeSigningInput, type JsonObject, RECEIPT_TYP } from '@permitry/protocol';
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { claimsOfStoredJws, fromStoredJws, toStoredJws } from './stored-jws.ts';

const SIGNATURE = 'c2ln-_5lZA';

function tokenOf(kid: string, claims: object): string {
  return `${encodeSigningInput({ alg: 'ES256', typ: RECEIPT_TYP, kid }, claims)}.${SIGNATURE}`;
}

test('a stored token is read back to the last character, whatever its content', () => {
  const text = fc.string({ unit: 'binary' });
  fc.assert(
    fc.property(text, fc.dictionary(text, fc.jsonValue({ stringUnit: 'binary' })), (kid, claims) => {
      const token = tokenOf(kid, claims);
      const stored = toStoredJws(token);
      expect(fromStoredJws(stored)).toBe(token);
      expect(stored.length).toBeLessThan(token.length);
      expect(JSON.stringify(claimsOfStoredJws(stored))).toBe(JSON.stringify(claims));
    }),
  );
});

test('a token with line breaks, lone surrogates and U+0000 is read back, and its column contains none of them', () => {
  const claims: JsonObject = {
    '\n': '\r\n\u2028\u2029',
    lone: '\ud800',
    nul: '\u0000',
    '': [null, 'é 👩‍👧 .'],
  };
  const token = tokenOf('a.b\nc', claims);
  const stored = toStoredJws(token);
  expect(fromStoredJws(stored)).toBe(token);
  expect(stored.split('\n')).toEqual([expect.stringMatching(/^{.*}$/), JSON.stringify(claims), SIGNATURE]);
  expect(stored).not.toContain('\u0000');
  expect(stored.isWellFormed()).toBe(true);
});

test('an erased token stays empty in either form', () => {
  expect(toStoredJws('')).toBe('');
  expect(fromStoredJws('')).toBe('');
});

describe('a text of another form is refused', () => {
  it.each(['token', 'a.b', 'a.b.', '.b.c', 'a..c', 'a.b.c.d', '{}\n{}\nc'])('when written: %j', (token) => {
    expect(() => toStoredJws(token)).toThrow('three parts');
  });

  it.each(['null', '{}', '{}\n{}', '{}\n{}\n', '\n{}\nc', '{}\n\nc', '{}\n{}\nc\n', 'e30.e30.c'])(
    'when read: %j',
    (stored) => {
      expect(() => fromStoredJws(stored)).toThrow('three parts');
      expect(() => claimsOfStoredJws(stored)).toThrow('three parts');
    },
  );
});
