import fc from 'fast-check';
import { expect, it } from 'vitest';
import { sha256Hex } from './sha256.ts';
import { sha256Hex as anywhereSha256Hex } from './sha256-anywhere.ts';
import { sha256Hex as nodeSha256Hex } from './sha256-node.ts';
import { sha256Hex as portableSha256Hex } from './sha256-portable.ts';

// FIPS 180-4 examples, from NIST's "Secure Hash Standard" example values.
it.each([
  ['', 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
  ['abc', 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'],
  [
    'abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq',
    '248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1',
  ],
])('hashes %j', (text, digest) => {
  expect(sha256Hex(text)).toBe(digest);
  expect(sha256Hex(new TextEncoder().encode(text))).toBe(digest);
});

it('gives the same hash in Node and in browsers', () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.string({ unit: 'binary', maxLength: 300 }), fc.uint8Array({ maxLength: 300 })),
      (input) => {
        expect(portableSha256Hex(input)).toBe(nodeSha256Hex(input));
        expect(anywhereSha256Hex(input)).toBe(nodeSha256Hex(input));
      },
    ),
  );
});

it('uses Node’s implementation without importing it, where Node is available', () => {
  expect(anywhereSha256Hex).not.toBe(portableSha256Hex);
});
