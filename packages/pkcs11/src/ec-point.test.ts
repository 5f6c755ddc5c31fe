import { describe, expect, test } from 'vitest';
import { readEcPoint } from './ec-point.ts';

describe('CKA_EC_POINT', () => {
  const x = Buffer.alloc(32, 1);
  const y = Buffer.alloc(32, 2);
  const point = Buffer.concat([Buffer.of(4), x, y]);
  const read = { x: x.toString('base64url'), y: y.toString('base64url') };

  test('is read with and without a DER wrapping', () => {
    expect(readEcPoint(Buffer.concat([Buffer.of(4, 65), point]))).toEqual(read);
    expect(readEcPoint(point)).toEqual(read);
  });

  test.each([
    ['compressed', Buffer.concat([Buffer.of(2), x])],
    ['of another curve', Buffer.concat([Buffer.of(4, 97, 4), Buffer.alloc(96)])],
    ['cut off', point.subarray(0, 64)],
    ['empty', Buffer.alloc(0)],
  ])('is refused when it is %s', (_what, value) => {
    expect(readEcPoint(value)).toBeUndefined();
  });
});
