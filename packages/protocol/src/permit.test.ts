import { createPublicKey, generateKeyPairSync, sign } from 'node:crypto';
import { calculateJwkThumbprint } from 'jose';
import { describe, expect, it } from 'vitest';
import { FORGED_PERMITS, forgePermit } from '../test-data/forged-permits.ts';
import { checkPermitClaims } from './check-permit-claims.ts';
import { encodeSigningInput } from './compact-jws.ts';
import { decodePermit } from './decode-permit.ts';
import { hashJson } from './hashes.ts';
import type { PermitClaims } from './permit.ts';
import type { PublicJwk } from './public-jwk.ts';
import { PERMIT_TYP, type TokenTyp } from './token-typ.ts';
import { type OfflineVerification, verifyPermitOffline } from './verify-permit-offline.ts';
import { PERMIT_REFUSALS } from './vocabulary.ts';

const NOW = 1_795_000_000;
const gateKey = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
const { x = '', y = '' } = createPublicKey(gateKey).export({ format: 'jwk' });
const kid = await calculateJwkThumbprint({ kty: 'EC', crv: 'P-256', x, y });
const jwk: PublicJwk = { kty: 'EC', crv: 'P-256', x, y, kid, alg: 'ES256', use: 'sig' };
const onAnotherCurve = createPublicKey(generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey).export({
  format: 'jwk',
});

const action = 'payments.refund';
const params = { amount: 12.5, order: 'ord_1' };
const claims: PermitClaims = {
  iss: 'https://gate.example',
  aud: 'prj_01kaftx2q8n5m9y0a3v7c1d4ez',
  sub: 'agt_01kaftx2q8n5m9y0a3v7c1d4ez',
  jti: 'pmt_01kaftx2q8n5m9y0a3v7c1d4ez',
  iat: NOW,
  nbf: NOW,
  exp: NOW + 300,
  txn: 'int_01kaftx2q8n5m9y0a3v7c1d4ez',
  action,
  params_hash: hashJson(params),
  intent_hash: hashJson({ a: 1 }),
  policy_hash: hashJson({ b: 1 }),
  proof_tier: 'session',
  approval: { by: ['a@example.org'], at: '2026-11-18T18:26:40.000Z', method: 'session' },
};

function permit(typ: TokenTyp = PERMIT_TYP.live, payload: object = claims): string {
  const input = encodeSigningInput({ alg: 'ES256', typ, kid }, payload);
  const signature = sign('sha256', Buffer.from(input), { key: gateKey, dsaEncoding: 'ieee-p1363' });
  return `${input}.${signature.toString('base64url')}`;
}

const expected: OfflineVerification = {
  jwks: { keys: [jwk] },
  issuer: claims.iss,
  audience: claims.aud,
  mode: 'live',
  action,
  params,
  now: NOW,
};

describe('a permit', () => {
  it.each(['.00000000000000000001', 'e0', ''])(
    'with an exp that ends in %j is accepted only when no digit is lost',
    async (behind) => {
      const part = (text: string) => Buffer.from(text).toString('base64url');
      const text = JSON.stringify(claims).replace(`"exp":${NOW + 300}`, `"exp":${NOW + 300}${behind}`);
      const input = `${part(JSON.stringify({ alg: 'ES256', typ: PERMIT_TYP.live, kid }))}.${part(text)}`;
      const signature = sign('sha256', Buffer.from(input), { key: gateKey, dsaEncoding: 'ieee-p1363' });
      const checked = await verifyPermitOffline(`${input}.${signature.toString('base64url')}`, expected);
      expect(checked).toMatchObject(
        behind.startsWith('.') ? { ok: false, reason: 'malformed' } : { ok: true },
      );
    },
  );

  it('authorises its action with its parameters, in any order of members', async () => {
    const reordered = { order: 'ord_1', amount: 12.5 };
    for (const given of [params, reordered]) {
      expect(await verifyPermitOffline(permit(), { ...expected, params: given })).toStrictEqual({
        ok: true,
        claims,
      });
    }
  });

  it("of a service names the service's key", () => {
    const sub = 'key:key_01kaftx2q8n5m9y0a3v7c1d4ez';
    expect(decodePermit(permit(PERMIT_TYP.live, { ...claims, sub }), { mode: 'live' }).ok).toBe(true);
  });

  it.each<[string, Partial<OfflineVerification>]>([
    ['action_mismatch', { action: 'payments.payout' }],
    ['params_mismatch', { params: { ...params, amount: 12.51 } }],
    ['params_mismatch', { params: { ...params, more: null } }],
    ['params_mismatch', { params: {} }],
    ['wrong_project', { audience: 'prj_other' }],
    ['wrong_project', { issuer: 'https://gate.example/' }],
    ['wrong_project', { mode: 'test' }],
    ['unknown_key', { jwks: { keys: [] } }],
    ['unknown_key', { jwks: { keys: [{ ...jwk, kid: 'other' }] } }],
    ['unknown_key', { jwks: { keys: [{ ...jwk, x: 'AAAA' }] } }],
    ['unknown_key', { jwks: { keys: [{ ...jwk, ...onAnotherCurve } as PublicJwk] } }],
    ['expired', { now: NOW + 300 }],
    ['expired', { now: Number.NaN }],
    ['not_yet_valid', { now: NOW - 0.001 }],
  ])('answers %s to %o', async (reason, change) => {
    expect(await verifyPermitOffline(permit(), { ...expected, ...change })).toStrictEqual({
      ok: false,
      reason,
    });
  });

  it('is valid from its nbf until just before its exp, extended by the allowed clock difference', () => {
    const check = (now: number, clockSkewSeconds = 0) =>
      checkPermitClaims(claims, { projectId: claims.aud, now, clockSkewSeconds }).ok;
    expect([NOW - 1, NOW, NOW + 299.999, NOW + 300].map((now) => check(now))).toStrictEqual([
      false,
      true,
      true,
      false,
    ]);
    expect([NOW - 6, NOW - 5, NOW + 304.9, NOW + 305].map((now) => check(now, 5))).toStrictEqual([
      false,
      true,
      true,
      false,
    ]);
  });

  it('reports the first problem in the documented order', async () => {
    const stale = { ...expected, now: NOW + 9999, action: 'x', params: {}, audience: 'prj_other' };
    const answers = [
      await verifyPermitOffline('x', { ...stale, jwks: { keys: [] } }),
      await verifyPermitOffline(permit(), { ...stale, jwks: { keys: [] } }),
      await verifyPermitOffline(permit().replace(/.{4}$/, 'AAAA'), stale),
      await verifyPermitOffline(permit(), stale),
      await verifyPermitOffline(permit(), { ...stale, now: NOW }),
      await verifyPermitOffline(permit(), { ...stale, now: NOW, audience: claims.aud }),
      await verifyPermitOffline(permit(), { ...stale, now: NOW, audience: claims.aud, action }),
    ];
    const reasons = answers.map((answer) => (answer.ok ? null : answer.reason));
    expect(reasons[2]).toMatch(/^(tampered|malformed)$/);
    expect(reasons.toSpliced(2, 1)).toStrictEqual([
      'malformed',
      'unknown_key',
      'expired',
      'wrong_project',
      'action_mismatch',
      'params_mismatch',
    ]);
  });
});

describe.each(['live', 'test'] as const)('a forged permit in %s mode', (mode) => {
  const token = permit(PERMIT_TYP[mode]);

  it.each(FORGED_PERMITS)('$name', async (forgery) => {
    const forged = forgePermit(forgery, { token, gateKey, now: NOW });
    expect(forged).not.toBe(token);
    const answer = await verifyPermitOffline(forged, { ...expected, mode });
    expect(answer.ok ? null : answer.reason).toBe(forgery.expected);
  });
});

describe('the table of forged permits', () => {
  it('names each forgery once, with its source and a reason of the closed list', () => {
    expect(new Set(FORGED_PERMITS.map(({ name }) => name)).size).toBe(FORGED_PERMITS.length);
    for (const { expected: reason, source } of FORGED_PERMITS) {
      expect(source).not.toBe('');
      expect([null, ...PERMIT_REFUSALS]).toContain(reason);
    }
  });

  it('leaves a genuine permit unchanged when a forgery asks for nothing', () => {
    const nothing = { name: '', expected: null, source: '', sign: 'keep' };
    expect(forgePermit(nothing, { token: permit(), gateKey, now: NOW })).not.toBe('');
    const token = permit();
    expect(forgePermit(nothing, { token, gateKey, now: NOW })).toBe(token);
  });
});
