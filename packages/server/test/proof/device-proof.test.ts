/** Proof by a device key: valid once, for one person, one request, one decision and the caller that started it. */
import {
  intentHash,
  proofChallenge,
  type ReceiptContent,
  readApproverKeys,
  verifyApprovalEvidence,
  verifyPermitOffline,
} from '@permitry/protocol';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Caller, SessionCaller, UserCaller } from '../../src/gate/access/caller.ts';
import { decideIntent } from '../../src/gate/intents/decide.ts';
import { startProof } from '../../src/gate/intents/start-proof.ts';
import { submitIntent } from '../../src/gate/intents/submit.ts';
import { submitProof } from '../../src/gate/intents/submit-proof.ts';
import { addDeviceKey } from '../../src/people/device-keys/add-device-key.ts';
import { removeDeviceKey } from '../../src/people/device-keys/own-device-keys.ts';
import { createUserToken } from '../../src/people/keys/user-token.ts';
import { exportOwnKeys } from '../../src/people/passkeys/own-passkeys.ts';
import { shownHash } from '../fixtures/as-shown.ts';
import { enrolPasskey } from '../fixtures/enrol-passkey.ts';
import { OPERATOR, openTestGate, type TestGate } from '../fixtures/open-test-gate.ts';
import { refusalOf } from '../fixtures/refusal-of.ts';
import { signedIn } from '../fixtures/signed-in.ts';
import { type DishonestDevice, SoftwareDeviceKey } from '../fixtures/software-device-key.ts';

const PARAMS = { amount: 5 };
const REFUND = { action: 'payments.refund', params: PARAMS, proofTier: 'device' as const };

let t: TestGate;
/** A program that holds Ann's access token. */
let ann: UserCaller;
let anns: SoftwareDeviceKey;

beforeEach(async () => {
  t = await openTestGate({ mode: 'live' });
  ({ caller: ann } = await t.addPerson('ann@example.org', 'approver'));
  anns = await enrol(ann);
});
afterEach(() => t.close());

async function enrol({ user }: UserCaller): Promise<SoftwareDeviceKey> {
  const key = new SoftwareDeviceKey();
  const id = t.gate.ids.next('dvk');
  await t.gate.storage.transaction((tx) =>
    addDeviceKey(t.gate, tx, user, { id, jwk: key.jwk, name: 'laptop', address: null }),
  );
  return key;
}

const asked = async (more: object = {}): Promise<string> =>
  (await submitIntent(t.gate, t.agent, { ...REFUND, ...more })).intent.id;

const start = (intentId: string, caller: Caller = ann, decision: 'approve' | 'deny' = 'approve') =>
  startProof(t.gate, caller, { intentId, decision, method: 'device' });
const submit = (proofSessionId: string, jws: unknown, caller: Caller = ann) =>
  submitProof(t.gate, caller, { proofSessionId, signals: { jws } as never });
const decide = async (intentId: string, proofSessionId?: string, caller: Caller = ann) =>
  decideIntent(t.gate, caller, {
    intentId,
    decision: 'approve',
    intentHash: await shownHash(t.gate, intentId),
    ...(proofSessionId === undefined ? {} : { proofSessionId }),
  });

async function proved(intentId: string, caller: Caller = ann, key = anns): Promise<string> {
  const { session, challenge } = await start(intentId, caller);
  const { status, proofTier } = await submit(session.id, key.prove(challenge), caller);
  expect([status, proofTier]).toEqual(['completed', 'device']);
  return session.id;
}

async function expectUntouched(intentId: string): Promise<void> {
  const { read } = t.gate.storage;
  expect((await read.findIntent(intentId))?.status).toBe('pending');
  expect(await read.listApprovals(intentId)).toEqual([]);
}

async function expectInvalidProof(operation: Promise<unknown>, intentId: string): Promise<void> {
  expect((await refusalOf(operation)).code).toBe('invalid_proof');
  await expectUntouched(intentId);
}

describe('a device key', () => {
  it('gives a token’s approval the tier device, and its signature in the receipt verifies offline', async () => {
    const intentId = await asked();
    expect((await refusalOf(decide(intentId))).code).toBe('proof_required');
    const { intent } = await decide(intentId, await proved(intentId));
    expect(intent).toMatchObject({
      status: 'approved',
      approvals: [{ by: 'ann@example.org', method: 'device' }],
    });
    const receipt = intent.receipt as ReceiptContent;
    expect(receipt).toMatchObject({
      proof_tier: 'device',
      proof_tier_achieved: 'device',
      approvals: [{ method: 'device', device: { key_id: anns.id, challenge: { decision: 'approve' } } }],
    });
    const session: SessionCaller = await (await signedIn(t.gate, ann.user.id)).caller();
    const approverKeys = readApproverKeys([JSON.parse(JSON.stringify(await exportOwnKeys(t.gate, session)))]);
    const found = await verifyApprovalEvidence(receipt, {
      approverKeys,
      action: REFUND.action,
      params: PARAMS,
    });
    expect(found).toMatchObject({ ok: true, approvals: [{ signed: true, credential_id: anns.id }] });
    expect((await t.gate.storage.read.listDeviceKeys(ann.user.id))[0]?.lastUsedAt).toBe(t.clock.now());
  });

  it('signs a challenge that can be computed from the displayed request and the terms', async () => {
    const { challenge, options } = await start(await asked({ metadata: { why: 'late' } }));
    const { intent, terms, keys } = options as unknown as {
      intent: Parameters<typeof intentHash>[0];
      terms: Omit<Parameters<typeof proofChallenge>[0], 'intent_hash'>;
      keys: unknown;
    };
    expect(intent).toMatchObject({ action: REFUND.action, params: PARAMS, metadata: { why: 'late' } });
    expect(terms).toMatchObject({ decision: 'approve', approver: 'ann@example.org' });
    expect(keys).toMatchObject([{ key_id: anns.id, name: 'laptop' }]);
    expect(proofChallenge({ ...terms, intent_hash: intentHash(intent) })).toBe(challenge);
  });

  it('can also prove a decision of a person who is signed in', async () => {
    const session = await (await signedIn(t.gate, ann.user.id)).caller();
    const intentId = await asked();
    const { intent } = await decide(intentId, await proved(intentId, session), session);
    expect(intent).toMatchObject({ status: 'approved', approvals: [{ method: 'device' }] });
  });

  it('is not enough where a passkey is required', async () => {
    const intentId = await asked({ proofTier: 'passkey' });
    const refused = await refusalOf(decide(intentId, await proved(intentId)));
    expect([refused.code, refused.details]).toMatchObject(['proof_required', { methods: ['passkey'] }]);
    await expectUntouched(intentId);
  });

  it('is not enough for a request from a service of the same owner, which requires a session', async () => {
    const service = await t.addService('ann@example.org');
    const { intent } = await submitIntent(t.gate, service.caller, REFUND);
    const refused = await refusalOf(decide(intent.id, await proved(intent.id)));
    expect([refused.code, refused.details]).toMatchObject(['forbidden', { required: 'session' }]);
    await expectUntouched(intent.id);
  });

  it('can prove a denial', async () => {
    const intentId = await asked();
    const { session, challenge } = await start(intentId, ann, 'deny');
    await submit(session.id, anns.prove(challenge));
    await decideIntent(t.gate, ann, { intentId, decision: 'deny', proofSessionId: session.id });
    const [vote] = await t.gate.storage.read.listApprovals(intentId);
    expect(vote).toMatchObject({ decision: 'deny', method: 'device', evidence: { key_id: anns.id } });
  });
});

describe('a device proof is refused', () => {
  it.each<[string, DishonestDevice]>([
    ['with alg none', { alg: 'none' }],
    ['with alg HS256', { alg: 'HS256' }],
    ['with the type of another token', { typ: 'permit+jwt' }],
    ['with the generic type JWT', { typ: 'JWT' }],
    ['with the ID of another key', { kid: 'A'.repeat(43) }],
    ['with an embedded key', { header: { jwk: new SoftwareDeviceKey().jwk } }],
    ['with a key URL', { header: { jku: 'https://evil.example/keys' } }],
    ['with crit', { header: { crit: ['exp'] } }],
    ['with an extra claim', { claims: { challenge: 'x', exp: 1 } }],
    ['without a challenge', { claims: {} }],
    ['with another challenge', { claims: { challenge: 'A'.repeat(43) } }],
    ['if another key signed it under this key’s ID', { signedBy: new SoftwareDeviceKey() }],
  ])('%s', async (_what, otherwise) => {
    const intentId = await asked();
    const { session, challenge } = await start(intentId);
    const claims = otherwise.claims && 'exp' in otherwise.claims ? { claims: { challenge, exp: 1 } } : {};
    const jws = anns.prove(challenge, { ...otherwise, ...claims });
    expect(await submit(session.id, jws)).toMatchObject({
      status: 'failed',
      proofTier: 'none',
      triesLeft: 4,
    });
    await expectInvalidProof(decide(intentId, session.id), intentId);
  });

  it.each<[string, (jws: string) => unknown]>([
    ['with a trailing byte', (jws) => `${jws}A`],
    ['with a trailing segment', (jws) => `${jws}.A`],
    ['with a leading space', (jws) => ` ${jws}`],
    ['with padding', (jws) => `${jws}==`],
    // 64 bytes are 86 characters, the last of which has four bits to spare.
    [
      'in a non-canonical encoding',
      (jws) => jws.replace(/.$/, (last) => ({ A: 'B', Q: 'R', g: 'h', w: 'x' })[last] ?? 'B'),
    ],
    ['if it is cut short', (jws) => jws.slice(0, -1)],
    ['without a signature', (jws) => jws.replace(/[^.]+$/, '')],
    ['if it is not a string', () => 7],
    ['if it is too long', (jws) => jws + 'A'.repeat(40_000)],
    ['if it is empty', () => ''],
  ])('%s', async (_what, spoil) => {
    const intentId = await asked();
    const { session, challenge } = await start(intentId);
    expect((await submit(session.id, spoil(anns.prove(challenge)))).status).toBe('failed');
    await expectInvalidProof(decide(intentId, session.id), intentId);
  });

  it('with extra members beside it', async () => {
    const { session, challenge } = await start(await asked());
    const signals = { jws: anns.prove(challenge), key: 'mine' };
    expect((await submitProof(t.gate, ann, { proofSessionId: session.id, signals })).status).toBe('failed');
  });

  it('if another person’s key signed it', async () => {
    const { caller: bob } = await t.addPerson('bob@example.org', 'approver');
    const bobs = await enrol(bob);
    const intentId = await asked();
    const { session, challenge } = await start(intentId);
    expect((await submit(session.id, bobs.prove(challenge))).status).toBe('failed');
    await expectInvalidProof(decide(intentId, session.id), intentId);
  });

  it('if it was made for another request, another decision or an earlier session', async () => {
    const intentId = await asked();
    const others = [
      await start(await asked()),
      await start(intentId, ann, 'deny'),
      // This challenge differs only in its nonce.
      await start(intentId),
    ];
    const { session } = await start(intentId);
    for (const { challenge } of others) {
      expect((await submit(session.id, anns.prove(challenge))).status).toBe('failed');
    }
    await expectInvalidProof(decide(intentId, session.id), intentId);
  });

  it('after five failed tries, even if they arrive at once', async () => {
    const intentId = await asked();
    const { session, challenge } = await start(intentId);
    const wrong = anns.prove('A'.repeat(43));
    const tries = await Promise.allSettled(Array.from({ length: 12 }, () => submit(session.id, wrong)));
    expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(5);
    await expectInvalidProof(submit(session.id, anns.prove(challenge)), intentId);
  });

  it('after five minutes', async () => {
    const intentId = await asked();
    const { session, challenge } = await start(intentId);
    const completed = await proved(intentId);
    t.clock.advance(300);
    await expectInvalidProof(submit(session.id, anns.prove(challenge)), intentId);
    await expectInvalidProof(decide(intentId, completed), intentId);
  });

  it('if its session is already completed', async () => {
    const intentId = await asked();
    const { session, challenge } = await start(intentId);
    const jws = anns.prove(challenge);
    const both = await Promise.allSettled([submit(session.id, jws), submit(session.id, jws)]);
    const completed = both.filter((one) => one.status === 'fulfilled' && one.value.status === 'completed');
    expect(completed).toHaveLength(1);
    await expectInvalidProof(submit(session.id, jws), intentId);
  });
});

describe('a completed device proof', () => {
  const annsOther = async (): Promise<UserCaller> => {
    const token = { name: 'other', email: 'ann@example.org', rights: ['decide'] as const };
    return (await t.callerOf((await createUserToken(t.gate, OPERATOR, token)).key)) as UserCaller;
  };

  it('counts for one approval only', async () => {
    const intentId = await asked({ minApprovals: 2 });
    const proof = await proved(intentId);
    await t.addPerson('bob@example.org', 'approver');
    const votes = await Promise.allSettled([decide(intentId, proof), decide(intentId, proof)]);
    expect(votes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect((await refusalOf(decide(intentId, proof))).code).toBe('invalid_proof');
  });

  it('works with the token that started it, and with no other token or session of the same person', async () => {
    const intentId = await asked();
    const other = await annsOther();
    const { session, challenge } = await start(intentId);
    await expectInvalidProof(submit(session.id, anns.prove(challenge), other), intentId);
    expect((await submit(session.id, anns.prove(challenge))).status).toBe('completed');
    await expectInvalidProof(decide(intentId, session.id, other), intentId);
    const browser = await (await signedIn(t.gate, ann.user.id)).caller();
    await expectInvalidProof(decide(intentId, session.id, browser), intentId);
    expect((await decide(intentId, session.id)).intent.status).toBe('approved');
  });

  it('cannot be submitted or used by another person, nor by a service of the same person', async () => {
    const { caller: bob } = await t.addPerson('bob@example.org', 'approver');
    await enrol(bob);
    const intentId = await asked();
    const { session, challenge } = await start(intentId);
    await expectInvalidProof(submit(session.id, anns.prove(challenge), bob), intentId);
    const proof = await proved(intentId);
    await expectInvalidProof(decide(intentId, proof, bob), intentId);
    const service = await t.addService('ann@example.org');
    await expectInvalidProof(decide(intentId, proof, service.caller), intentId);
  });

  it('is valid only for the request and the decision that were signed', async () => {
    const intentId = await asked();
    const proof = await proved(intentId);
    const other = await asked();
    await expectInvalidProof(decide(other, proof), other);
    const denial = decideIntent(t.gate, ann, { intentId, decision: 'deny', proofSessionId: proof });
    await expectInvalidProof(denial, intentId);
  });

  it('becomes invalid when its key is removed', async () => {
    const intentId = await asked();
    const [open, completed] = [await start(intentId), await proved(intentId)];
    const [key] = await t.gate.storage.read.listDeviceKeys(ann.user.id);
    const present = await (await signedIn(t.gate, ann.user.id)).caller();
    await removeDeviceKey(t.gate, present, { id: String(key?.id) });
    await expectInvalidProof(decide(intentId, completed), intentId);
    await expectInvalidProof(submit(open.session.id, anns.prove(open.challenge)), intentId);
    expect((await refusalOf(start(intentId))).code).toBe('conflict');
  });

  it('becomes invalid even if its key is removed during the check', async () => {
    const intentId = await asked();
    const { session, challenge } = await start(intentId);
    const [key] = await t.gate.storage.read.listDeviceKeys(ann.user.id);
    const present = await (await signedIn(t.gate, ann.user.id)).caller();
    await Promise.allSettled([
      submit(session.id, anns.prove(challenge)),
      removeDeviceKey(t.gate, present, { id: String(key?.id) }),
    ]);
    await expectInvalidProof(decide(intentId, session.id), intentId);
  });
});

describe('starting a proof', () => {
  it('is refused to keys, to the operator, and to access tokens without the right to decide', async () => {
    const intentId = await asked();
    const reader = await t.addPerson('reader@example.org', 'approver', []);
    for (const caller of [t.agent, t.secret, t.verifier, t.operator, reader.caller]) {
      expect((await refusalOf(start(intentId, caller))).code).toBe('forbidden');
    }
  });

  it('fails if the person has no device key', async () => {
    const { caller: bob } = await t.addPerson('bob@example.org', 'approver');
    expect((await refusalOf(start(await asked(), bob))).code).toBe('conflict');
  });

  it('with a passkey is refused to access tokens', async () => {
    const session = await (await signedIn(t.gate, ann.user.id)).caller();
    await enrolPasskey(t.gate, session);
    const request = { intentId: await asked(), decision: 'approve', method: 'passkey' } as const;
    expect((await refusalOf(startProof(t.gate, ann, request))).code).toBe('forbidden');
  });
});

it('a device key’s signature is not accepted as a permit', async () => {
  const intentId = await asked();
  const { challenge } = await start(intentId);
  const jws = anns.prove(challenge);
  const jwk = { ...anns.jwk, kid: anns.id, alg: 'ES256' as const, use: 'sig' as const };
  const verified = await verifyPermitOffline(jws, {
    jwks: { keys: [jwk] },
    issuer: t.gate.issuer,
    audience: t.projectId,
    mode: 'live',
    action: REFUND.action,
    params: PARAMS,
  });
  expect(verified).toMatchObject({ ok: false, reason: 'not_a_permit' });
});
