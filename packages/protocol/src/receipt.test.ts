import { createPublicKey, generateKeyPairSync, sign } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { encodeSigningInput } from './compact-jws.ts';
import { hashJson } from './hashes.ts';
import type { PublicJwk } from './public-jwk.ts';
import { type Receipt, receiptClaims } from './receipt.ts';
import { PERMIT_TYP, RECEIPT_TYP, type TokenTyp } from './token-typ.ts';
import { verifyReceiptOffline } from './verify-receipt-offline.ts';

const gateKey = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
const foreignKey = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
const { x = '', y = '' } = createPublicKey(gateKey).export({ format: 'jwk' });
const jwk: PublicJwk = { kty: 'EC', crv: 'P-256', x, y, kid: 'k1', alg: 'ES256', use: 'sig' };

const params = { to: 'a@example.org' };
const content = {
  receipt_version: 2,
  receipt_id: 'rct_1',
  intent_id: 'int_1',
  intent_hash: hashJson({ a: 1 }),
  action: 'mail.send',
  params_hash: hashJson(params),
  policy_hash: hashJson({ b: 1 }),
  proof_tier: 'session',
  proof_tier_achieved: 'passkey',
  approved_by: 'a@example.org',
  approved_at: '2026-11-18T18:26:40.123Z',
  issued_at: '2026-11-18T18:26:40.456Z',
  receipt_expires_at: '2027-11-18T18:26:40.456Z',
  kid: 'k1',
} as const;
const claims = receiptClaims(content, {
  issuer: 'https://gate.example',
  statusList: { idx: 7, uri: 'https://gate.example/v1/status/1' },
});
const expected = { jwks: { keys: [jwk] }, issuer: 'https://gate.example', now: claims.iat };

function jws(payload: object = claims, typ: TokenTyp = RECEIPT_TYP, key = gateKey): string {
  const input = encodeSigningInput({ alg: 'ES256', typ, kid: 'k1' }, payload);
  return `${input}.${sign('sha256', Buffer.from(input), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`;
}

const receipt: Receipt = { ...content, revocation_status: 'active', jws: jws() };

describe('a receipt', () => {
  it('verifies by its jws alone, as received, and as stored', async () => {
    const { revocation_status: _, ...stored } = receipt;
    for (const form of [receipt.jws, receipt, stored]) {
      const given = { ...expected, action: 'mail.send', params };
      expect(await verifyReceiptOffline(form, given)).toStrictEqual({ ok: true, claims });
    }
  });

  it('proves nothing about its status, which is the one at the time of reading', async () => {
    const revoked: Receipt = { ...receipt, revocation_status: 'revoked' };
    expect((await verifyReceiptOffline(revoked, expected)).ok).toBe(true);
  });

  it.each<[string, object]>([
    ['expired', { now: claims.exp }],
    ['wrong_issuer', { issuer: 'https://other.example' }],
    ['unknown_key', { jwks: { keys: [] } }],
    ['action_mismatch', { action: 'mail.read' }],
    ['params_mismatch', { params: { to: 'b@example.org' } }],
  ])('answers %s to %o', async (reason, change) => {
    expect(await verifyReceiptOffline(receipt, { ...expected, ...change })).toStrictEqual({
      ok: false,
      reason,
    });
  });

  it('is refused when a member beside the jws differs from the signed one', async () => {
    for (const name of Object.keys(content)) {
      const altered = { ...receipt, [name]: 'other' };
      expect(await verifyReceiptOffline(altered, expected)).toStrictEqual({
        ok: false,
        reason: 'content_mismatch',
      });
      const { [name]: _, ...less } = { ...receipt } as Record<string, unknown>;
      expect((await verifyReceiptOffline(less as unknown as Receipt, expected)).ok).toBe(false);
    }
    const more = { ...receipt, approved_until: 'ever' };
    expect(await verifyReceiptOffline(more, expected)).toStrictEqual({
      ok: false,
      reason: 'content_mismatch',
    });
  });

  it.each<[string, string]>([
    ['not_a_receipt', jws(claims, PERMIT_TYP.live)],
    ['tampered', jws(claims, RECEIPT_TYP, foreignKey)],
    ['malformed', jws({ ...claims, more: 1 })],
    ['malformed', jws({ ...claims, kid: 'k2' })],
    ['malformed', jws({ ...claims, exp: claims.exp + 1 })],
    ['malformed', jws({ ...claims, iat: claims.iat - 1 })],
    ['malformed', jws({ ...claims, receipt_version: 1 })],
    ['malformed', jws({ ...claims, status: {} })],
    ['malformed', jws({ ...claims, status: { status_list: { idx: -1, uri: 'x' } } })],
    ['malformed', jws({ ...claims, approved_at: '2026-02-31T00:00:00.000Z' })],
    ['malformed', ''],
  ])('is %s when forged', async (reason, forged) => {
    expect(await verifyReceiptOffline(forged, expected)).toStrictEqual({ ok: false, reason });
  });

  it('is refused when it is not a receipt at all', async () => {
    for (const nothing of [null, undefined, 1, {}, []] as unknown as Receipt[]) {
      expect(await verifyReceiptOffline(nothing, expected)).toStrictEqual({ ok: false, reason: 'malformed' });
    }
  });

  it('is malformed without any one of its claims', async () => {
    for (const name of Object.keys(claims)) {
      const { [name]: _, ...less } = { ...claims } as Record<string, unknown>;
      expect(await verifyReceiptOffline(jws(less), expected)).toStrictEqual({
        ok: false,
        reason: 'malformed',
      });
    }
  });
});
