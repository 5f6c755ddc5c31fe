import { createPublicKey, generateKeyPairSync, sign } from 'node:crypto';
import { deflateSync } from 'node:zlib';
import { describe, expect, it, vi } from 'vitest';
import { checkReceiptStatus } from './check-receipt-status.ts';
import { encodeSigningInput } from './compact-jws.ts';
import { hashJson } from './hashes.ts';
import type { PublicJwk } from './public-jwk.ts';
import { receiptClaims } from './receipt.ts';
import { STATUS_TYPE, StatusList } from './status-list.ts';
import { type StatusListClaims, verifyStatusListToken } from './status-list-token.ts';
import { PERMIT_TYP, RECEIPT_TYP, STATUS_LIST_TYP, type TokenTyp } from './token-typ.ts';

const gateKey = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
const foreignKey = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
const { x = '', y = '' } = createPublicKey(gateKey).export({ format: 'jwk' });
const jwks = {
  keys: [{ kty: 'EC', crv: 'P-256', x, y, kid: 'k1', alg: 'ES256', use: 'sig' } satisfies PublicJwk],
};

function token(claims: object, typ: TokenTyp, key = gateKey, kid = 'k1'): string {
  const input = encodeSigningInput({ alg: 'ES256', typ, kid }, claims);
  return `${input}.${sign('sha256', Buffer.from(input), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`;
}

const ISSUER = 'https://gate.example';
const URI = `${ISSUER}/v1/status/3`;
const SLOT = 77;

const content = {
  receipt_version: 2,
  receipt_id: 'rct_1',
  intent_id: 'int_1',
  intent_hash: hashJson({ a: 1 }),
  action: 'mail.send',
  params_hash: hashJson({ to: 'a@example.org' }),
  policy_hash: hashJson({ b: 1 }),
  proof_tier: 'none',
  proof_tier_achieved: 'none',
  approved_by: 'a@example.org',
  approved_at: '2026-11-18T18:26:40.123Z',
  issued_at: '2026-11-18T18:26:40.456Z',
  receipt_expires_at: '2027-11-18T18:26:40.456Z',
  kid: 'k1',
} as const;

function receiptAt(uri = URI, idx = SLOT): string {
  return token(receiptClaims(content, { issuer: ISSUER, statusList: { idx, uri } }), RECEIPT_TYP);
}
const receipt = receiptAt();
const now = 1_800_000_000;
const expected = { jwks, issuer: ISSUER, now };

function listClaims(
  status: number = STATUS_TYPE.VALID,
  changes: Partial<StatusListClaims> = {},
): StatusListClaims {
  const list = StatusList.ofSize(1024, 2);
  list.set(SLOT, status);
  const lst = deflateSync(list.bytes, { level: 9 }).toString('base64url');
  return {
    iss: ISSUER,
    sub: URI,
    iat: now - 10,
    exp: now + 290,
    ttl: 60,
    status_list: { bits: 2, lst },
    ...changes,
  };
}

function check(list: string, given = receipt, more: object = {}) {
  return checkReceiptStatus(given, async () => list, { ...expected, ...more });
}

describe('a receipt whose status list', () => {
  it('says that it is valid is accepted, with action and parameters compared', async () => {
    const fetchList = vi.fn(async (_uri: string) => token(listClaims(), STATUS_LIST_TYP));
    const given = { ...expected, action: 'mail.send', params: { to: 'a@example.org' } };
    expect(await checkReceiptStatus(receipt, fetchList, given)).toMatchObject({ ok: true, claims: content });
    expect(fetchList.mock.calls).toEqual([[URI]]);
  });

  it.each<[string, number, string]>([
    ['the approval was revoked', STATUS_TYPE.INVALID, 'revoked'],
    ['it is suspended', STATUS_TYPE.SUSPENDED, 'suspended'],
    ['an unknown status', 3, 'status_unknown'],
  ])('says %s is refused', async (_, status, reason) => {
    expect(await check(token(listClaims(status), STATUS_LIST_TYP))).toEqual({ ok: false, reason });
  });

  it.each<[string, () => string]>([
    ['is not a token', () => '<html>'],
    ['is not signed by the gate', () => token(listClaims(), STATUS_LIST_TYP, foreignKey)],
    ['is signed by an unknown key', () => token(listClaims(), STATUS_LIST_TYP, gateKey, 'k2')],
    ['is another kind of token', () => token(listClaims(), PERMIT_TYP.live)],
    ['is another list', () => token(listClaims(0, { sub: `${ISSUER}/v1/status/4` }), STATUS_LIST_TYP)],
    ['is another gate’s', () => token(listClaims(0, { iss: 'https://other.example' }), STATUS_LIST_TYP)],
    ['has expired', () => token(listClaims(0, { exp: now }), STATUS_LIST_TYP)],
    ['has no expiry', () => token({ ...listClaims(), exp: undefined }, STATUS_LIST_TYP)],
    ['has an expiry in words', () => token({ ...listClaims(), exp: 'never' }, STATUS_LIST_TYP)],
    ['may be cached for no time', () => token(listClaims(0, { ttl: 0 }), STATUS_LIST_TYP)],
    [
      'holds no list',
      () => token({ ...listClaims(), status_list: { bits: 2, lst: 'AAAA' } }, STATUS_LIST_TYP),
    ],
    ['is too long', () => `${token(listClaims(), STATUS_LIST_TYP)}${'A'.repeat(200_000)}`],
    ['ends before the receipt’s place', () => token(shortList(), STATUS_LIST_TYP)],
  ])('%s is refused: its status is unknown', async (_, list) => {
    expect(await check(list())).toEqual({ ok: false, reason: 'status_unknown' });
  });

  function shortList(): StatusListClaims {
    const lst = deflateSync(Buffer.alloc(SLOT / 4)).toString('base64url');
    return listClaims(0, { status_list: { bits: 2, lst } });
  }

  it('cannot be fetched is refused', async () => {
    const failing = async (): Promise<string> => {
      throw new Error('the network is away');
    };
    expect(await checkReceiptStatus(receipt, failing, expected)).toEqual({
      ok: false,
      reason: 'status_unknown',
    });
  });

  it('is at an address outside the gate is refused without a fetch', async () => {
    const fetchList = vi.fn(async () => token(listClaims(), STATUS_LIST_TYP));
    const given = receiptAt('https://gate.example.evil/v1/status/3');
    expect(await checkReceiptStatus(given, fetchList, expected)).toMatchObject({ reason: 'status_unknown' });
    expect(fetchList).not.toHaveBeenCalled();
  });
});

it('a receipt that is invalid in itself is refused before any list is fetched', async () => {
  const fetchList = vi.fn(async () => token(listClaims(), STATUS_LIST_TYP));
  const other = { ...expected, action: 'mail.delete' };
  expect(await checkReceiptStatus(receipt, fetchList, other)).toEqual({
    ok: false,
    reason: 'action_mismatch',
  });
  const late = { ...expected, now: now + 40_000_000 };
  expect(await checkReceiptStatus(receipt, fetchList, late)).toEqual({ ok: false, reason: 'expired' });
  expect(fetchList).not.toHaveBeenCalled();
});

it('no status list is accepted when the clock is not a number', async () => {
  const verified = await verifyStatusListToken(token(listClaims(), STATUS_LIST_TYP), {
    jwks,
    issuer: ISSUER,
    uri: URI,
    now: Number.NaN,
  });
  expect(verified).toEqual({ ok: false, reason: 'expired' });
});

it('a status list of 131,072 statuses that do not compress is accepted', async () => {
  const noise = new Uint8Array(32_768).map((_, index) => (Math.imul(index + 1, 2_654_435_761) >>> 11) & 0xff);
  const lst = deflateSync(noise, { level: 9 }).toString('base64url');
  const full = token(listClaims(0, { status_list: { bits: 2, lst } }), STATUS_LIST_TYP);
  const verified = await verifyStatusListToken(full, { jwks, issuer: ISSUER, uri: URI, now });
  expect(verified.ok && verified.list.bytes).toEqual(noise);
});
