import { generateKeyPairSync, sign } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { derToConcat } from './der-signature.ts';

const hex = (text: string) => Uint8Array.from(Buffer.from(text.replaceAll(' ', ''), 'hex'));

describe('an ECDSA signature in DER', () => {
  it('is the same signature as r‖s', () => {
    const { privateKey: key } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    // Among this many, some numbers have a high bit and some have leading zeros.
    for (let count = 0; count < 300; count += 1) {
      const der = sign('sha256', Buffer.from(`${count}`), key);
      const concat = derToConcat(der);
      expect(concat).toHaveLength(64);
      expect(toDer(concat ?? new Uint8Array())).toEqual(Buffer.from(der));
    }
  });

  it('may hold small numbers', () => {
    expect(Buffer.from(derToConcat(hex('30 06 020101 020102')) ?? []).toString('hex')).toBe(
      `${'0'.repeat(63)}1${'0'.repeat(63)}2`,
    );
  });

  it.each([
    ['nothing', ''],
    ['another tag', '31 06 020101 020102'],
    ['bytes behind', '30 06 020101 020102 00'],
    ['a length that is too long', '30 07 020101 020102'],
    ['a long form of the length', '30 8106 020101 020102'],
    ['a negative number', '30 06 020181 020102'],
    ['a leading zero', '30 07 02020001 020102'],
    ['an empty number', '30 05 0200 020102'],
    ['the number zero', '30 06 020100 020102'],
    ['one number', '30 03 020101'],
    ['three numbers', '30 09 020101 020102 020103'],
    ['a number past the end', '30 06 020101 020502'],
    ['a number of 33 bytes', `30 26 0221 01${'00'.repeat(32)} 020102`],
  ])('of any other form is refused: %s', (_what, text) => {
    expect(derToConcat(hex(text))).toBeUndefined();
  });
});

function toDer(concat: Uint8Array): Buffer {
  const integers = [concat.subarray(0, 32), concat.subarray(32)].map((number) => {
    const digits = Buffer.from(number.subarray(number.findIndex((byte) => byte !== 0)));
    const signed = (digits[0] ?? 0) >= 0x80 ? Buffer.concat([Buffer.from([0]), digits]) : digits;
    return Buffer.concat([Buffer.from([0x02, signed.length]), signed]);
  });
  const content = Buffer.concat(integers);
  return Buffer.concat([Buffer.from([0x30, content.length]), content]);
}
