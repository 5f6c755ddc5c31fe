import { beforeAll, describe, expect, it } from 'vitest';
import { type PasskeyAlgorithm, SoftwarePasskey } from '../../../server/test/fixtures/software-passkey.ts';
import chromium from '../../test-data/chromium-passkey.json' with { type: 'json' };
import {
  ANA,
  APPROVED_AT,
  approvalTerms,
  BEN,
  CHALLENGE_ENDS,
  INTENT,
  receiptOfApproval,
} from '../../test-data/receipt-of-approval.ts';
import { hashJson, type IntentHashInput, intentHash } from '../hashes.ts';
import type { ReceiptContent } from '../receipt.ts';
import { readApproverKeys } from './approver-keys.ts';
import type { PasskeyEvidence } from './passkey-evidence.ts';
import { type ProofTerms, proofChallenge } from './proof-challenge.ts';
import type { ReceiptApproval } from './receipt-approval.ts';
import { verifyApprovalEvidence } from './verify-approval-evidence.ts';

const RP = { rpId: 'gate.example', origin: 'https://gate.example' };
const passkeys = Object.fromEntries(
  (['ES256', 'RS256', 'EdDSA'] as const).map((algorithm) => [
    algorithm,
    new SoftwarePasskey({ ...RP, algorithm }),
  ]),
) as Record<PasskeyAlgorithm, SoftwarePasskey>;
const anas = passkeys.ES256;
const bens = new SoftwarePasskey(RP);

function entry(passkey: SoftwarePasskey) {
  return {
    id: passkey.id,
    public_key: passkey.publicJwk,
    rp_id: RP.rpId,
    origin: RP.origin,
    created_at: '2026-11-01T08:00:00.000Z',
  };
}

const keyFile = {
  version: 1,
  approvers: [
    { email: ANA, keys: Object.values(passkeys).map(entry) },
    { email: BEN, keys: [entry(bens)] },
  ],
};
const approverKeys = readApproverKeys([keyFile]);

interface Otherwise {
  passkey?: SoftwarePasskey;
  by?: string;
  at?: string;
  terms?: Partial<ProofTerms>;
  /** The terms that were actually signed, where they differ from those in the evidence. */
  signed?: Partial<ProofTerms> & { intent_hash?: string };
  device?: Parameters<SoftwarePasskey['authenticate']>[1];
  evidence?: Partial<PasskeyEvidence>;
}

function approval(otherwise: Otherwise = {}): ReceiptApproval {
  const { passkey = anas, by = ANA, at = APPROVED_AT } = otherwise;
  const terms = approvalTerms(by, otherwise.terms);
  const challenge = proofChallenge({ intent_hash: intentHash(INTENT), ...terms, ...otherwise.signed });
  const { id, response } = passkey.authenticate({ challenge }, otherwise.device);
  return {
    by,
    at,
    method: 'passkey',
    passkey: {
      credential_id: id,
      rp_id: RP.rpId,
      origin: RP.origin,
      challenge: terms,
      authenticator_data: response.authenticatorData,
      client_data_json: response.clientDataJSON,
      signature: response.signature,
      ...otherwise.evidence,
    },
  };
}

function receiptOf(
  approvals: ReceiptApproval[] | undefined,
  change: Partial<ReceiptContent> = {},
): ReceiptContent {
  return receiptOfApproval('passkey', {
    approved_by: approvals?.at(-1)?.by ?? 'policy:small refunds',
    ...(approvals === undefined ? {} : { approvals }),
    ...change,
  });
}

async function reasonFor(otherwise: Otherwise): Promise<string | undefined> {
  const verified = await verifyApprovalEvidence(receiptOf([approval(otherwise)]), {
    approverKeys,
    intent: INTENT,
  });
  expect(verified.ok).toBe(false);
  const finding = 'approvals' in verified ? verified.approvals[0] : undefined;
  return finding && !finding.signed ? finding.reason : undefined;
}

describe('an approval by passkey', () => {
  it.each(['ES256', 'RS256', 'EdDSA'] as const)(
    'signed with %s is proved by the key file',
    async (algorithm) => {
      const passkey = passkeys[algorithm];
      const receipt = receiptOf([approval({ passkey })]);
      const finding = {
        by: ANA,
        at: APPROVED_AT,
        method: 'passkey',
        signed: true,
        credential_id: passkey.id,
      };
      for (const form of [receipt, receipt.jws]) {
        const verified = await verifyApprovalEvidence(form, { approverKeys, intent: INTENT });
        expect(verified).toMatchObject({ ok: true, approvals: [finding] });
      }
    },
  );

  it("counts towards a quorum for each person, and the other approvals are the gate's word", async () => {
    const both = receiptOf([approval(), approval({ passkey: bens, by: BEN })]);
    expect(await verifyApprovalEvidence(both, { approverKeys })).toMatchObject({
      ok: true,
      approvals: [
        { by: ANA, signed: true },
        { by: BEN, signed: true },
      ],
    });
    const mixed = receiptOf([{ by: BEN, at: APPROVED_AT, method: 'session' }, approval()]);
    expect(await verifyApprovalEvidence(mixed, { approverKeys })).toMatchObject({
      ok: false,
      approvals: [
        { by: BEN, signed: false, reason: 'no_evidence' },
        { by: ANA, signed: true },
      ],
    });
  });

  it('finds the person regardless of the case of the address in the key file', async () => {
    const shouted = readApproverKeys([
      { version: 1, approvers: [{ email: ANA.toUpperCase(), keys: [entry(anas)] }] },
    ]);
    const verified = await verifyApprovalEvidence(receiptOf([approval()]), { approverKeys: shouted });
    expect(verified.ok).toBe(true);
  });

  const foreign = new SoftwarePasskey(RP);
  it.each<[string, string, Otherwise]>([
    ['other_challenge', 'for another intent', { signed: { intent_hash: hashJson({ other: true }) } }],
    ['other_challenge', 'for a denial, presented as an approval', { signed: { decision: 'deny' } }],
    ['other_decision', 'for a denial', { terms: { decision: 'deny' } }],
    ['other_approver', 'made by another person', { terms: { approver: BEN } }],
    ['other_challenge', 'made by another person and presented as her own', { signed: { approver: BEN } }],
    ['other_challenge', 'with another nonce', { signed: { nonce: 'AAAA' } }],
    ['other_challenge', 'with a later time', { signed: { exp: CHALLENGE_ENDS - 300 } }],
    [
      'late',
      'counted after the challenge had expired',
      { at: new Date((CHALLENGE_ENDS + 1) * 1000).toISOString() },
    ],
    ['unknown_approver', 'of a person who is not in the key file', { by: 'eve@example.org' }],
    ['unknown_key', 'with a passkey that is not in the key file', { passkey: foreign }],
    ['unknown_key', 'with the passkey of another person', { passkey: bens }],
    ['tampered', 'with her credential id but another key', { device: { signedBy: foreign } }],
    ['other_origin', 'made on another page', { device: { origin: 'https://gate.example.evil' } }],
    ['other_origin', 'stating another page', { evidence: { origin: 'https://other.example' } }],
    ['other_rp_id', 'made for another domain', { device: { rpId: 'evil.example' } }],
    ['other_rp_id', 'stating another domain', { evidence: { rp_id: 'other.example' } }],
    ['cross_origin', 'made in a frame of another site', { device: { crossOrigin: true } }],
    ['malformed', 'that is a registration', { device: { type: 'webauthn.create' } }],
    ['not_present', 'without a person present', { device: { userPresent: false } }],
    ['not_verified', 'without user verification', { device: { userVerified: false } }],
  ])('is refused as %s: %s', async (reason, _what, otherwise) => {
    expect(await reasonFor(otherwise)).toBe(reason);
  });

  it('is refused when a byte of the signed data is altered', async () => {
    const { passkey: evidence } = approval();
    const flip = (text = ''): string => {
      const bytes = Buffer.from(text, 'base64url');
      bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
      return bytes.toString('base64url');
    };
    for (const member of ['authenticator_data', 'signature'] as const) {
      expect(await reasonFor({ evidence: { ...evidence, [member]: flip(evidence?.[member]) } })).toBe(
        'tampered',
      );
    }
  });

  it('is refused when client data has a duplicate name', async () => {
    const challenge = proofChallenge({
      intent_hash: intentHash(INTENT),
      decision: 'approve',
      approver: ANA,
      nonce: 'AAECAwQFBgcICQoLDA0ODw',
      exp: CHALLENGE_ENDS,
    });
    const twice = `{"type":"webauthn.get","challenge":"x","challenge":"${challenge}","origin":"${RP.origin}"}`;
    const evidence = { client_data_json: Buffer.from(twice).toString('base64url') };
    expect(await reasonFor({ evidence })).toBe('malformed');
  });

  it('does not count the same person twice', async () => {
    const receipt = receiptOf([approval(), approval({ passkey: passkeys.EdDSA })]);
    expect(await verifyApprovalEvidence(receipt, { approverKeys })).toMatchObject({
      ok: false,
      approvals: [{ signed: true }, { signed: false, reason: 'counted_twice' }],
    });
  });
});

describe('the content of an approval', () => {
  it('is proved by the whole intent, not by the action and parameters that the gate wrote beside it', async () => {
    const receipt = receiptOf([approval()]);
    const check = (expected: object) => verifyApprovalEvidence(receipt, { approverKeys, ...expected });
    expect((await check({ intent: INTENT, action: INTENT.action, params: INTENT.params })).ok).toBe(true);
    expect(await check({ intent: { ...INTENT, params: { amount: 121 } } })).toEqual({
      ok: false,
      reason: 'intent_mismatch',
    });
    expect(await check({ action: 'payments.payout' })).toEqual({ ok: false, reason: 'action_mismatch' });
    expect(await check({ params: { amount: 121 } })).toEqual({ ok: false, reason: 'params_mismatch' });
  });

  it.each([
    ['action_mismatch', { action: 'files.read' }],
    ['params_mismatch', { params_hash: hashJson({ amount: 1 }) }],
    ['intent_mismatch', { intent_id: 'int_2' }],
  ])('gives %s for a receipt whose content differs from what was signed', async (reason, change) => {
    const receipt = receiptOf([approval()], change);
    expect(await verifyApprovalEvidence(receipt, { approverKeys, intent: INTENT })).toEqual({
      ok: false,
      reason,
    });
  });
});

describe('a receipt with passkey evidence', () => {
  it("without evidence is the gate's word", async () => {
    expect(await verifyApprovalEvidence(receiptOf(undefined), { approverKeys })).toMatchObject({
      ok: false,
      approvals: [{ by: 'policy:small refunds', method: 'policy', signed: false, reason: 'no_evidence' }],
    });
    const byKey = receiptOf(undefined, { approved_by: ANA });
    expect(await verifyApprovalEvidence(byKey, { approverKeys })).toMatchObject({
      ok: false,
      approvals: [{ by: ANA, method: null, signed: false, reason: 'no_evidence' }],
    });
  });

  it('is refused when the approvals beside the jws differ from the signed ones', async () => {
    const receipt = receiptOf([approval()]);
    for (const approvals of [undefined, [], [approval()], [...(receipt.approvals ?? []), approval()]]) {
      const altered = { ...receipt, approvals } as ReceiptContent;
      expect(await verifyApprovalEvidence(altered, { approverKeys })).toEqual({
        ok: false,
        reason: 'content_mismatch',
      });
    }
  });

  it.each<[string, unknown]>([
    ['no approvals', []],
    [
      'longer than possible',
      Array.from({ length: 1001 }, () => ({ by: ANA, at: APPROVED_AT, method: 'session' })),
    ],
    ['evidence with another method', [{ ...approval(), method: 'session' }]],
    ['a passkey without evidence', [{ by: ANA, at: APPROVED_AT, method: 'passkey' }]],
    ['padding', [approval({ evidence: { signature: 'AAA=' } })]],
    ['unbounded bytes', [approval({ evidence: { client_data_json: 'A'.repeat(4000) } })]],
    ['another member', [approval({ evidence: { more: 1 } as Partial<PasskeyEvidence> })]],
  ])('with %s is malformed', async (_what, approvals) => {
    const receipt = receiptOf(approvals as ReceiptApproval[]);
    expect(await verifyApprovalEvidence(receipt, { approverKeys })).toEqual({
      ok: false,
      reason: 'malformed',
    });
  });
});

describe('a key file with passkeys', () => {
  let merged: ReturnType<typeof readApproverKeys>;
  beforeAll(() => {
    const hers = { version: 1, approvers: [{ email: ANA, keys: [entry(anas)] }] };
    const his = { version: 1, approvers: [{ email: BEN, keys: [entry(bens)] }] };
    merged = readApproverKeys([
      hers,
      his,
      hers,
      { version: 1, approvers: [{ email: 'c@example.org', keys: [] }] },
    ]);
  });

  it('is read together with others, and two may contain the same entry', () => {
    expect(merged.find(ANA, anas.id)?.public_key).toEqual(anas.publicJwk);
    expect(merged.find(BEN, bens.id)).toBeDefined();
    expect(merged.find(BEN, anas.id)).toBeUndefined();
    expect(merged.knows('c@example.org')).toBe(true);
    expect(merged.knows('d@example.org')).toBe(false);
  });

  it.each<[string, unknown[]]>([
    ['no object', [[]]],
    ['another version', [{ ...keyFile, version: 2 }]],
    ['no approvers', [{ version: 1 }]],
    ['a person without an address', [{ version: 1, approvers: [{ keys: [] }] }]],
    [
      'a key without its domain',
      [{ version: 1, approvers: [{ email: ANA, keys: [{ ...entry(anas), rp_id: '' }] }] }],
    ],
    ['a private key', [withKey({ ...anas.publicJwk, d: 'AAAA' })]],
    ['another curve', [withKey({ ...anas.publicJwk, crv: 'P-384' })]],
    ['an algorithm that is not the key’s', [withKey({ ...anas.publicJwk, alg: 'EdDSA' })]],
    ['a short RSA key', [withKey({ ...passkeys.RS256.publicJwk, n: 'AQAB' })]],
    ['one key for two people', [keyFile, { version: 1, approvers: [{ email: BEN, keys: [entry(anas)] }] }]],
    ['one id with two keys', [keyFile, withKey(bens.publicJwk)]],
  ])('with %s is refused', (_what, files) => {
    expect(() => readApproverKeys(files)).toThrow(TypeError);
  });

  function withKey(publicKey: object) {
    return { version: 1, approvers: [{ email: ANA, keys: [{ ...entry(anas), public_key: publicKey }] }] };
  }
});

describe('an assertion signed by Chromium', () => {
  const {
    receipt,
    intent: shown,
    key_file,
  } = chromium as unknown as {
    receipt: ReceiptContent;
    intent: IntentHashInput;
    key_file: unknown;
  };

  it('is verified without the gate that it was signed for', async () => {
    const verified = await verifyApprovalEvidence(receipt, {
      approverKeys: readApproverKeys([key_file]),
      intent: shown,
    });
    expect(verified).toMatchObject({ ok: true, approvals: [{ by: 'ann@example.org', signed: true }] });
  });

  it('proves only the intent that it was signed for', async () => {
    const verified = await verifyApprovalEvidence(receipt, {
      approverKeys: readApproverKeys([key_file]),
      intent: { ...shown, params: { ...shown.params, amount: 121 } },
    });
    expect(verified).toEqual({ ok: false, reason: 'intent_mismatch' });
  });
});
