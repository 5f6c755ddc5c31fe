import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeBase64url } from './base64url.ts';
import * as inNode from './base64url-node.ts';
import * as portable from './base64url-portable.ts';
import { decodeCompactJws, encodeSigningInput, type JwsHeader } from './compact-jws.ts';
import { PERMIT_TYP, RECEIPT_TYP } from './token-typ.ts';

const header: JwsHeader = { alg: 'ES256', typ: PERMIT_TYP.live, kid: 'k' };
const signature = encodeBase64url(new Uint8Array(64).fill(7));
const expected = { typ: PERMIT_TYP.live };

function sealed(headerText: string, claimsText: string): string {
  const [first, second] = [headerText, claimsText].map((text) =>
    encodeBase64url(new TextEncoder().encode(text)),
  );
  return `${first}.${second}.${signature}`;
}

describe.each([
  ['in Node', inNode],
  ['anywhere', portable],
])('base64url %s', (_, { encodeBase64url, decodeBase64url }) => {
  it('writes and reads base64url of any length as Node does', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 70 }), (bytes) => {
        const text = Buffer.from(bytes).toString('base64url');
        expect(encodeBase64url(bytes)).toBe(text);
        expect(decodeBase64url(text)).toStrictEqual(Uint8Array.from(bytes));
      }),
    );
  });

  it('writes a text as its UTF-8', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        expect(encodeBase64url(text)).toBe(encodeBase64url(new TextEncoder().encode(text)));
      }),
    );
  });

  it('refuses a second spelling of the same bytes', () => {
    const alphabet = 'ABgw_-+/=9 é\n';
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...alphabet), { maxLength: 9 }), (characters) => {
        const text = characters.join('');
        const bytes = decodeBase64url(text);
        if (bytes !== undefined) expect(encodeBase64url(bytes)).toBe(text);
      }),
      { numRuns: 2000 },
    );
  });
});

describe('a token in compact form', () => {
  it('is read back as it was written', () => {
    const claims = { iss: 'https://gate.example', n: 1, ü: ['😀', null] };
    const signingInput = encodeSigningInput(header, claims);
    expect(decodeCompactJws(`${signingInput}.${signature}`, expected)).toStrictEqual({
      ok: true,
      header,
      claims,
      signingInput,
      signature,
    });
  });

  it('of another Permitry type is distinguished from a malformed one', () => {
    const token = `${encodeSigningInput({ ...header, typ: RECEIPT_TYP }, {})}.${signature}`;
    expect(decodeCompactJws(token, expected)).toStrictEqual({
      ok: false,
      reason: 'not_a_permit',
      typ: RECEIPT_TYP,
    });
    expect(decodeCompactJws(token, { typ: [PERMIT_TYP.live, RECEIPT_TYP] }).ok).toBe(true);
  });

  const good = JSON.stringify(header);
  it.each([
    ['empty', ''],
    ['dots', '...'],
    ['two segments', encodeSigningInput(header, {})],
    ['an unsigned token', `${encodeSigningInput(header, {})}.`],
    ['a fourth segment', `${encodeSigningInput(header, {})}.${signature}.`],
    ['spaces around', ` ${sealed(good, '{}')}`],
    ['a line end', `${sealed(good, '{}')}\n`],
    ['a signature of 63 bytes', `${encodeSigningInput(header, {})}.${encodeBase64url(new Uint8Array(63))}`],
    ['more than 32 KiB', sealed(good, JSON.stringify({ text: 'x'.repeat(32_768) }))],
    ['claims that are an array', sealed(good, '[]')],
    ['claims that are null', sealed(good, 'null')],
    ['claims with a duplicate name', sealed(good, '{"a":1,"a":1}')],
    ['a header with a duplicate name', sealed(good.replace('{', '{"kid":"k",'), '{}')],
    ['an extra header member', sealed(good.replace('{', '{"cty":"x",'), '{}')],
    ['a missing header member', sealed('{"alg":"ES256","typ":"permit+jwt"}', '{}')],
    ['a header that inherits a member', sealed('{"alg":"ES256","typ":"permit+jwt","toString":"k"}', '{}')],
    ['a kid that is not a text', sealed('{"alg":"ES256","typ":"permit+jwt","kid":1}', '{}')],
    ['an alg in lower case', sealed(good.replace('ES256', 'es256'), '{}')],
    ['a typ that is not ours', sealed(good.replace('permit+jwt', 'JWT'), '{}')],
    ['a typ with a media type prefix', sealed(good.replace('permit+jwt', 'application/permit+jwt'), '{}')],
  ])('is refused with %s', (_, token) => {
    expect(decodeCompactJws(token, expected)).toStrictEqual({ ok: false, reason: 'malformed' });
  });

  it('is refused without a crash, whatever the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.nat(2), (text, dots) => {
        expect(decodeCompactJws(text + '.'.repeat(dots) + text, expected).ok).toBe(false);
      }),
    );
  });
});
