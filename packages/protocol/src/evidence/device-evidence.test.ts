/** What a device key signed, as anyone can check it later: a single signature, and receipts that carry it. */
import { describe, expect, it } from 'vitest';
import { SoftwareDeviceKey } from '../../../server/test/fixtures/software-device-key.ts';
import {
  ANA,
  APPROVED_AT,
  approvalTerms,
  BEN,
  CHALLENGE_ENDS,
  INTENT,
  receiptOfApproval,
} from '../../test-data/receipt-of-approval.ts';
import { decodePermit } from '../decode-permit.ts';
import { hashJson, intentHash } from '../hashes.ts';
import type { ReceiptContent } from '../receipt.ts';
import { RECEIPT_TYP } from '../token-typ.ts';
import { readApproverKeys } from './approver-keys.ts';
import { checkDeviceProof } from './check-device-proof.ts';
import { type DeviceEvidence, deviceProofInput, isDeviceEvidence } from './device-evidence.ts';
import { deviceKeyId, isDeviceKeyJwk, isUsableDeviceKey } from './device-public-key.ts';
import { type ProofTerms, proofChallenge } from './proof-challenge.ts';
import { verifyApprovalEvidence } from './verify-approval-evidence.ts';

const CHALLENGE = 'A'.repeat(43);

const anas = new SoftwareDeviceKey();
const bens = new SoftwareDeviceKey();
const entry = (key: SoftwareDeviceKey) => ({ id: key.id, public_key: key.jwk, created_at: APPROVED_AT });
const keyFile = {
  version: 1,
  approvers: [
    { email: ANA, keys: [], device_keys: [entry(anas)] },
    { email: BEN, keys: [], device_keys: [entry(bens)] },
  ],
};
const approverKeys = readApproverKeys([keyFile]);

describe('the public key of a device', () => {
  it('is named by its RFC 7638 thumbprint', () => {
    // The key of RFC 7515 appendix A.3.
    const jwk = {
      kty: 'EC',
      crv: 'P-256',
      x: 'f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU',
      y: 'x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0',
    } as const;
    expect(deviceKeyId(jwk)).toBe('oKIywvGUpTVTyxMQ3bwIIeQUudfr_CkLMjCE19ECD-U');
  });

  it.each<[string, unknown]>([
    ['with its private half', { ...anas.jwk, d: anas.jwk.x }],
    ['with an algorithm hint', { ...anas.jwk, alg: 'ES256' }],
    ['on another curve', { ...anas.jwk, crv: 'P-384' }],
    ['of another kind', { kty: 'OKP', crv: 'Ed25519', x: anas.jwk.x }],
    ['cut off', { ...anas.jwk, x: anas.jwk.x.slice(1) }],
    ['in another spelling', { ...anas.jwk, x: `${anas.jwk.x.slice(0, 42)}=` }],
    ['that is not a key', null],
  ])('%s is refused', (_what, jwk) => {
    expect(isDeviceKeyJwk(jwk)).toBe(false);
  });

  it('must be a point on the curve', async () => {
    expect(await isUsableDeviceKey(anas.jwk)).toBe(true);
    expect(await isUsableDeviceKey({ ...anas.jwk, y: bens.jwk.y })).toBe(false);
  });
});

describe('one signature of a device key', () => {
  const check = (jws: string, key = anas.jwk, key_id = anas.id) =>
    checkDeviceProof({ key_id, jws }, { challenge: CHALLENGE, key });

  it('is verified with the key that made it', async () => {
    const jws = anas.prove(CHALLENGE);
    expect(jws.startsWith(deviceProofInput(anas.id, CHALLENGE))).toBe(true);
    expect(await check(jws)).toBe('verified');
  });

  it('is not a permit', () => {
    for (const mode of ['live', 'test'] as const)
      expect(decodePermit(anas.prove(CHALLENGE), { mode })).toMatchObject({
        ok: false,
        reason: 'not_a_permit',
      });
  });

  it.each<[string, Parameters<SoftwareDeviceKey['prove']>[1]]>([
    ['alg none', { alg: 'none' }],
    ['another algorithm', { alg: 'ES384' }],
    ['the type of a permit', { typ: 'permit+jwt' }],
    ['the type of a receipt', { typ: RECEIPT_TYP }],
    ['an unknown type', { typ: 'JWT' }],
    ['a key embedded', { header: { jwk: anas.jwk } }],
    ['a reference to keys', { header: { jku: 'https://evil.example' } }],
    ['crit', { header: { crit: [] } }],
    ['another kid', { kid: bens.id }],
    ['an extra claim', { claims: { challenge: CHALLENGE, iat: 1 } }],
    ['no challenge', { claims: {} }],
    ['a challenge that is not a text', { claims: { challenge: 1 } }],
  ])('with %s is malformed', async (_what, otherwise) => {
    expect(await check(anas.prove(CHALLENGE, otherwise))).toBe('malformed');
  });

  it.each<[string, (jws: string) => string]>([
    ['padding', (jws) => `${jws}=`],
    ['a trailing byte', (jws) => `${jws}A`],
    ['a trailing segment', (jws) => `${jws}.e30`],
    ['white space', (jws) => `${jws}\n`],
    ['no signature', (jws) => jws.replace(/[^.]+$/, '')],
    ['more bytes than are possible', (jws) => `${jws}${'A'.repeat(600)}`],
    [
      'the last bits set',
      (jws) => jws.replace(/[AQgw]$/, (last) => ({ A: 'B', Q: 'R', g: 'h', w: 'x' })[last] ?? ''),
    ],
  ])('with %s is malformed', async (_what, spoil) => {
    expect(await check(spoil(anas.prove(CHALLENGE)))).toBe('malformed');
  });

  it("proves nothing over another challenge, by another key, or under another key's id", async () => {
    expect(await check(anas.prove('B'.repeat(43)))).toBe('other_challenge');
    expect(await check(anas.prove(CHALLENGE, { signedBy: bens }))).toBe('tampered');
    expect(await check(bens.prove(CHALLENGE, { kid: anas.id }), bens.jwk)).toBe('tampered');
    const jws = anas.prove(CHALLENGE);
    const other = jws.endsWith('AAAA') ? 'BBBB' : 'AAAA';
    expect(await check(`${jws.slice(0, -8)}${other}${jws.slice(-4)}`)).toBe('tampered');
  });
});

describe('a receipt with device evidence', () => {
  interface Otherwise {
    key?: SoftwareDeviceKey;
    by?: string;
    at?: string;
    terms?: Partial<ProofTerms>;
    signed?: Partial<ProofTerms> & { intent_hash?: string };
    evidence?: Partial<DeviceEvidence>;
  }

  function receiptOf({
    key = anas,
    by = ANA,
    at = APPROVED_AT,
    ...otherwise
  }: Otherwise = {}): ReceiptContent {
    const terms = approvalTerms(by, otherwise.terms);
    const challenge = proofChallenge({ intent_hash: intentHash(INTENT), ...terms, ...otherwise.signed });
    const device = { key_id: key.id, challenge: terms, jws: key.prove(challenge), ...otherwise.evidence };
    return contentOf([{ by, at, method: 'device', device }]);
  }

  function contentOf(approvals: unknown): ReceiptContent {
    return receiptOfApproval('device', {
      approvals: approvals as NonNullable<ReceiptContent['approvals']>,
    });
  }

  it('is proved by the pinned key when a device key approved', async () => {
    expect(await verifyApprovalEvidence(receiptOf(), { approverKeys, intent: INTENT })).toMatchObject({
      ok: true,
      approvals: [{ by: ANA, at: APPROVED_AT, method: 'device', signed: true, credential_id: anas.id }],
    });
  });

  it.each<[string, string, Otherwise]>([
    ['other_decision', 'the signature is for a denial', { terms: { decision: 'deny' } }],
    ['other_approver', 'the signature is in another person’s name', { terms: { approver: BEN } }],
    ['late', 'it counted after the challenge had expired', { at: '2026-11-20T10:01:01.000Z' }],
    ['unknown_approver', 'the person is unknown', { by: 'eve@example.org' }],
    ['unknown_key', 'the key is another person’s', { key: bens }],
    ['unknown_key', 'the key is unknown', { key: new SoftwareDeviceKey() }],
    ['other_challenge', 'the signature is for another intent', { signed: { intent_hash: hashJson({}) } }],
    ['other_challenge', 'the signature is over another nonce', { signed: { nonce: 'other' } }],
    ['other_challenge', 'the signature is over a longer time', { signed: { exp: CHALLENGE_ENDS + 1 } }],
    ['tampered', 'another key signed', { evidence: { jws: '' } }],
  ])('is refused as %s: %s', async (reason, _what, otherwise) => {
    const isForged = otherwise.evidence?.jws === '';
    const challenge = proofChallenge({ intent_hash: intentHash(INTENT), ...approvalTerms(ANA) });
    const forged = { evidence: { jws: anas.prove(challenge, { signedBy: bens }) } };
    const receipt = receiptOf(isForged ? forged : otherwise);
    const found = await verifyApprovalEvidence(receipt, { approverKeys, intent: INTENT });
    expect(found).toMatchObject({ ok: false, approvals: [{ signed: false, reason }] });
  });

  it('does not count one person twice, by passkey or by device key', async () => {
    const { approvals = [] } = receiptOf();
    const twice = contentOf([...approvals, ...approvals]);
    expect(await verifyApprovalEvidence(twice, { approverKeys, intent: INTENT })).toMatchObject({
      ok: false,
      approvals: [{ signed: true }, { signed: false, reason: 'counted_twice' }],
    });
  });

  const good = receiptOf().approvals?.[0]?.device;
  it.each<[string, unknown]>([
    ['without evidence', { by: ANA, at: APPROVED_AT, method: 'device' }],
    ['with a passkey’s evidence instead', { by: ANA, at: APPROVED_AT, method: 'device', passkey: {} }],
    ['with evidence beside another method', { by: ANA, at: APPROVED_AT, method: 'session', device: good }],
    [
      'with an extra member',
      { by: ANA, at: APPROVED_AT, method: 'device', device: { ...good, key: 'mine' } },
    ],
    [
      'with a key id of the wrong form',
      { by: ANA, at: APPROVED_AT, method: 'device', device: { ...good, key_id: 'x' } },
    ],
    ['with an empty signature', { by: ANA, at: APPROVED_AT, method: 'device', device: { ...good, jws: '' } }],
  ])('%s is malformed', async (_what, approval) => {
    const found = await verifyApprovalEvidence(contentOf([approval]), { approverKeys, intent: INTENT });
    expect(found).toEqual({ ok: false, reason: 'malformed' });
  });

  it('has evidence of exactly this form', () => {
    expect(isDeviceEvidence(good)).toBe(true);
    expect(isDeviceEvidence({ ...good, challenge: { ...good?.challenge, more: 1 } })).toBe(false);
  });
});

describe('a key file with device keys', () => {
  it('may omit device keys, and may repeat them in several files', () => {
    const none = readApproverKeys([{ version: 1, approvers: [{ email: ANA, keys: [] }] }, keyFile]);
    expect(none.knows(ANA)).toBe(true);
    expect(none.findDevice(ANA.toUpperCase(), anas.id)?.public_key).toEqual(anas.jwk);
    expect(none.findDevice(BEN, anas.id)).toBeUndefined();
    expect(none.find(ANA, anas.id)).toBeUndefined();
  });

  const withKeys = (email: string, device_keys: unknown) => ({
    version: 1,
    approvers: [{ email, keys: [], device_keys }],
  });
  it.each<[string, unknown[], RegExp]>([
    ['a key under two people', [keyFile, withKeys('eve@example.org', [entry(anas)])], /is listed under both/],
    ['a key under another id', [withKeys(ANA, [{ ...entry(anas), id: bens.id }])], /thumbprint/],
    [
      'a private key',
      [withKeys(ANA, [{ ...entry(anas), public_key: { ...anas.jwk, d: 'x' } }])],
      /device_keys\[0\]/,
    ],
    ['no list', [withKeys(ANA, {})], /approvers\[0\]/],
  ])('with %s is refused', (_what, files, sentence) => {
    expect(() => readApproverKeys(files)).toThrow(sentence);
  });
});
