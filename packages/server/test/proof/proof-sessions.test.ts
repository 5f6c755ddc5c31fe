/** A passkey proof is valid once, for one decision of one person on one request. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SessionCaller } from '../../src/gate/access/caller.ts';
import { decideIntent } from '../../src/gate/intents/decide.ts';
import { startProof } from '../../src/gate/intents/start-proof.ts';
import { submitIntent } from '../../src/gate/intents/submit.ts';
import { submitProof } from '../../src/gate/intents/submit-proof.ts';
import { putPolicy } from '../../src/gate/policy-management/put-policy.ts';
import { sweepChallenges } from '../../src/ops/chores/sweeps.ts';
import { removePasskey } from '../../src/people/passkeys/own-passkeys.ts';
import { shownHash } from '../fixtures/as-shown.ts';
import { asJson, deviceFor, enrolPasskey, proveDecision } from '../fixtures/enrol-passkey.ts';
import { OPERATOR, openTestGate, type TestGate } from '../fixtures/open-test-gate.ts';
import { refusalOf } from '../fixtures/refusal-of.ts';
import { signedIn } from '../fixtures/signed-in.ts';
import type { Dishonesty, SoftwarePasskey } from '../fixtures/software-passkey.ts';

const REFUND = { action: 'payments.refund', params: { amount: 5 }, proofTier: 'passkey' as const };

let t: TestGate;
let ann: SessionCaller;
let annsPhone: SoftwarePasskey;

beforeEach(async () => {
  t = await openTestGate({ mode: 'live' });
  ({ caller: ann, device: annsPhone } = await personWithPasskey('ann@example.org'));
});
afterEach(() => t.close());

async function personWithPasskey(email: string): Promise<{ caller: SessionCaller; device: SoftwarePasskey }> {
  const { userId } = await t.addPerson(email, 'approver');
  const caller = await (await signedIn(t.gate, userId)).caller();
  return { caller, device: (await enrolPasskey(t.gate, caller)).device };
}

async function asked(more: object = {}): Promise<string> {
  return (await submitIntent(t.gate, t.agent, { ...REFUND, ...more })).intent.id;
}

const approve = async (caller: SessionCaller, intentId: string, proofSessionId?: string) =>
  decideIntent(t.gate, caller, {
    intentId,
    decision: 'approve',
    intentHash: await shownHash(t.gate, intentId),
    ...(proofSessionId === undefined ? {} : { proofSessionId }),
  });

async function stateOf(intentId: string) {
  const { read } = t.gate.storage;
  const intent = await read.findIntent(intentId);
  return { status: intent?.status, votes: (await read.listApprovals(intentId)).length };
}
const UNTOUCHED = { status: 'pending', votes: 0 };

async function started(intentId: string, caller = ann) {
  return startProof(t.gate, caller, { intentId, decision: 'approve', method: 'passkey' });
}

async function submitted(
  proof: Awaited<ReturnType<typeof started>>,
  otherwise: Dishonesty = {},
  { caller = ann, device = annsPhone }: { caller?: SessionCaller; device?: SoftwarePasskey } = {},
) {
  const signals = asJson(device.authenticate({ challenge: proof.challenge }, otherwise));
  return submitProof(t.gate, caller, { proofSessionId: proof.session.id, signals });
}

describe('a passkey proof', () => {
  it('allows an approval that requires a passkey', async () => {
    const intentId = await asked();
    const refusal = await refusalOf(approve(ann, intentId));
    expect([refusal.code, refusal.details]).toEqual([
      'proof_required',
      { proof_tier: 'passkey', methods: ['passkey'] },
    ]);
    const { intent } = await approve(
      ann,
      intentId,
      await proveDecision(t.gate, ann, annsPhone, { intentId }),
    );
    expect(intent).toMatchObject({
      status: 'approved',
      approvals: [{ by: 'ann@example.org', method: 'passkey' }],
      receipt: { proof_tier: 'passkey', proof_tier_achieved: 'passkey' },
    });
  });

  it('can be used for a denial, and is stored with it', async () => {
    const intentId = await asked();
    const proofSessionId = await proveDecision(t.gate, ann, annsPhone, { intentId, decision: 'deny' });
    const { intent } = await decideIntent(t.gate, ann, { intentId, decision: 'deny', proofSessionId });
    expect(intent.status).toBe('denied');
    const [vote] = await t.gate.storage.read.listApprovals(intentId);
    expect(vote).toMatchObject({
      decision: 'deny',
      method: 'passkey',
      evidence: { credential_id: annsPhone.id },
    });
  });

  it('is stored with an approval that leaves the quorum incomplete, and appears in the later receipt', async () => {
    const ben = await personWithPasskey('ben@example.org');
    const intentId = await asked({ minApprovals: 2 });
    const first = await approve(ann, intentId, await proveDecision(t.gate, ann, annsPhone, { intentId }));
    expect(first.intent.status).toBe('pending');
    const { intent } = await approve(
      ben.caller,
      intentId,
      await proveDecision(t.gate, ben.caller, ben.device, { intentId }),
    );
    expect(intent.receipt).toMatchObject({
      proof_tier_achieved: 'passkey',
      approvals: [
        { by: 'ann@example.org', passkey: { credential_id: annsPhone.id } },
        { by: 'ben@example.org', passkey: { credential_id: ben.device.id } },
      ],
    });
  });

  it('appears in the receipt beside an approval by session, and the achieved tier is the weaker one', async () => {
    const ben = await personWithPasskey('ben@example.org');
    const intentId = await asked({ minApprovals: 2, proofTier: 'session' });
    await approve(ann, intentId, await proveDecision(t.gate, ann, annsPhone, { intentId }));
    const { intent } = await approve(ben.caller, intentId);
    expect(intent.receipt?.proof_tier_achieved).toBe('session');
    expect(intent.receipt?.approvals).toEqual([
      { by: 'ann@example.org', at: expect.any(String), method: 'passkey', passkey: expect.any(Object) },
      { by: 'ben@example.org', at: expect.any(String), method: 'session' },
    ]);
  });

  it('is absent from the receipt of an approval by session', async () => {
    const intentId = await asked({ proofTier: 'session' });
    const { intent } = await approve(ann, intentId);
    expect(intent.receipt).not.toHaveProperty('approvals');
  });
});

describe('a policy that starts to require a passkey', () => {
  const demandPasskeys = () =>
    putPolicy(t.gate, OPERATOR, {
      projectId: t.projectId,
      document: {
        name: 'strict',
        default: { approvers: ['role:approver'], min_approvals: 2 },
        rules: [
          {
            name: 'refunds',
            match: { action: 'payments.refund' },
            effect: 'require_approval',
            require: [{ from: ['role:approver'], count: 2 }],
            proof_tier: 'passkey',
          },
        ],
      },
    });

  it('applies to later approvals and to those already given', async () => {
    const ben = await personWithPasskey('ben@example.org');
    const intentId = await asked({ minApprovals: 2, proofTier: 'session' });
    expect((await approve(ann, intentId)).intent.approvalsReceived).toBe(1);
    await demandPasskeys();
    expect((await refusalOf(approve(ben.caller, intentId))).code).toBe('proof_required');
    const bens = await proveDecision(t.gate, ben.caller, ben.device, { intentId });
    const { intent: open } = await approve(ben.caller, intentId, bens);
    // Ann's first approval had no passkey: it no longer counts, and she approves again.
    expect(open).toMatchObject({ status: 'pending', approvalsReceived: 1 });
    const anns = await proveDecision(t.gate, ann, annsPhone, { intentId });
    const { intent } = await approve(ann, intentId, anns);
    expect(intent).toMatchObject({
      status: 'approved',
      approvals: [{ method: 'passkey' }, { method: 'passkey' }],
      receipt: { proof_tier_achieved: 'passkey' },
    });
    const votes = await t.gate.storage.read.listApprovals(intentId);
    expect(votes.map(({ by }) => by)).toEqual(['ben@example.org', 'ann@example.org']);
  });
});

describe('an assertion', () => {
  const REFUSED: [string, Dishonesty][] = [
    ['without user verification', { userVerified: false }],
    ['without user presence', { userPresent: false }],
    ['from another origin', { origin: 'http://localhost:4001' }],
    ['from a subdomain', { origin: 'http://evil.localhost:4000' }],
    ['for another domain', { rpId: 'example.org' }],
    ['made in a frame of another site', { crossOrigin: true }],
    ['for another challenge', { challenge: 'AAAA' }],
    ['that is a registration', { type: 'webauthn.create' }],
    ['of an unknown passkey', { credentialId: 'AAAA' }],
  ];
  it.each(REFUSED)('%s fails and counts as a try', async (_what, otherwise) => {
    const intentId = await asked();
    const proof = await started(intentId);
    expect(await submitted(proof, otherwise)).toMatchObject({
      status: 'failed',
      proofTier: 'none',
      triesLeft: 4,
    });
    expect((await refusalOf(approve(ann, intentId, proof.session.id))).code).toBe('invalid_proof');
    expect(await stateOf(intentId)).toEqual(UNTOUCHED);
    // The session can still be completed.
    expect(await submitted(proof)).toMatchObject({ status: 'completed', proofTier: 'passkey' });
  });

  it('for another request fails', async () => {
    const [one, other] = [await started(await asked()), await started(await asked())];
    expect(await submitted(one, { challenge: other.challenge })).toMatchObject({ status: 'failed' });
  });

  it('for another decision fails', async () => {
    const intentId = await asked();
    const proof = await started(intentId);
    const denial = await startProof(t.gate, ann, { intentId, decision: 'deny', method: 'passkey' });
    expect(await submitted(proof, { challenge: denial.challenge })).toMatchObject({ status: 'failed' });
  });

  it('by another approver’s passkey fails, even under the ID of the right one', async () => {
    const ben = await personWithPasskey('ben@example.org');
    const proof = await started(await asked());
    expect(await submitted(proof, {}, { device: ben.device })).toMatchObject({ status: 'failed' });
    expect(await submitted(proof, { signedBy: ben.device })).toMatchObject({ status: 'failed' });
  });

  it.each([
    ['no content', {}],
    ['no response', { id: 'AAAA', rawId: 'AAAA', type: 'public-key', response: null }],
    [
      'padded base64',
      (good: { response: object }) => ({ ...good, response: { ...good.response, signature: 'AA==' } }),
    ],
    ['another type', (good: object) => ({ ...good, type: 'password' })],
    ['two different IDs', (good: object) => ({ ...good, rawId: 'AAAA' })],
  ])('with %s fails', async (_what, change) => {
    const proof = await started(await asked());
    const good = asJson(annsPhone.authenticate({ challenge: proof.challenge }));
    const signals = typeof change === 'function' ? change(good) : change;
    const outcome = await submitProof(t.gate, ann, { proofSessionId: proof.session.id, signals });
    expect(outcome.status).toBe('failed');
  });

  it('with a counter lower than the last one fails, is recorded, and leaves the counter unchanged', async () => {
    const before = (await t.gate.storage.read.findPasskey(annsPhone.id))?.signCount;
    await proveDecision(t.gate, ann, annsPhone, { intentId: await asked() });
    const proof = await started(await asked());
    expect(await submitted(proof, { counter: before ?? 0 })).toMatchObject({ status: 'failed' });
    const [event] = await t.events(t.projectId, 'passkey.refused');
    expect(event?.data).toMatchObject({ user_id: ann.user.id, sign_count: before, last_sign_count: 1 });
    expect((await t.gate.storage.read.findPasskey(annsPhone.id))?.signCount).toBe(1);
    // A forged signature is not recorded as a copied passkey.
    await submitted(proof, { counter: 0, signedBy: deviceFor(t.gate) });
    expect(await t.events(t.projectId, 'passkey.refused')).toHaveLength(1);
  });

  it('by a passkey without a counter is accepted every time', async () => {
    const { device } = await enrolPasskey(t.gate, ann, { counts: false });
    for (let round = 0; round < 3; round += 1) {
      const intentId = await asked();
      const proof = await proveDecision(t.gate, ann, device, { intentId });
      expect((await approve(ann, intentId, proof)).intent.status).toBe('approved');
    }
  });
});

describe('a proof session', () => {
  it('allows five tries and no sixth, even if they arrive at once', async () => {
    const proof = await started(await asked());
    const tries = await Promise.allSettled(
      Array.from({ length: 8 }, () => submitted(proof, { userVerified: false })),
    );
    expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(5);
    expect((await refusalOf(submitted(proof))).code).toBe('invalid_proof');
  });

  it('can be completed only once', async () => {
    const proof = await started(await asked());
    expect((await submitted(proof)).status).toBe('completed');
    expect((await refusalOf(submitted(proof))).code).toBe('invalid_proof');
  });

  it('is completed by only one of several simultaneous tries', async () => {
    const proof = await started(await asked());
    const tries = await Promise.allSettled(Array.from({ length: 3 }, () => submitted(proof)));
    const completed = tries.filter(
      (each) => each.status === 'fulfilled' && each.value.status === 'completed',
    );
    expect(completed).toHaveLength(1);
  });

  it('expires after five minutes, whether completed or not', async () => {
    const intentId = await asked();
    const [late, inTime] = [await started(intentId), await started(intentId)];
    await submitted(inTime);
    t.clock.advance(5 * 60);
    expect((await refusalOf(submitted(late))).code).toBe('invalid_proof');
    expect((await refusalOf(approve(ann, intentId, inTime.session.id))).code).toBe('invalid_proof');
    expect(await stateOf(intentId)).toEqual(UNTOUCHED);
    const next = await started(intentId);
    expect(await sweepChallenges(t.gate)).toBeGreaterThanOrEqual(2);
    expect(await t.gate.storage.read.findProofSession(next.session.id)).toBeDefined();
    expect(await t.gate.storage.read.findProofSession(late.session.id)).toBeUndefined();
  });

  it('is used up by the approval it proves, and a replay is refused without effect', async () => {
    const intentId = await asked({ minApprovals: 2 });
    const proof = await proveDecision(t.gate, ann, annsPhone, { intentId });
    await approve(ann, intentId, proof);
    expect((await refusalOf(approve(ann, intentId, proof))).code).toBe('invalid_proof');
    expect(await stateOf(intentId)).toEqual({ status: 'pending', votes: 1 });
  });

  it('proves only one of two simultaneous approvals', async () => {
    const intentId = await asked();
    const proof = await proveDecision(t.gate, ann, annsPhone, { intentId });
    const votes = await Promise.allSettled([approve(ann, intentId, proof), approve(ann, intentId, proof)]);
    expect(votes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    const [lost] = votes.filter((vote) => vote.status === 'rejected');
    expect(lost?.reason).toMatchObject({ code: 'invalid_proof' });
    expect(await stateOf(intentId)).toEqual({ status: 'approved', votes: 1 });
    expect(await t.events(t.projectId, 'approval.recorded')).toHaveLength(1);
  });

  it('is not used up by an approval that is refused', async () => {
    const intentId = await asked();
    const proof = await proveDecision(t.gate, ann, annsPhone, { intentId });
    const shownOther = decideIntent(t.gate, ann, {
      intentId,
      decision: 'approve',
      proofSessionId: proof,
      intentHash: `sha256:${'0'.repeat(64)}`,
    });
    expect((await refusalOf(shownOther)).code).not.toBe('invalid_proof');
    expect((await approve(ann, intentId, proof)).intent.status).toBe('approved');
  });

  it.each<[string, () => Promise<unknown>]>([
    [
      'that is pending',
      async () => {
        const intentId = await asked();
        await approve(ann, intentId, (await started(intentId)).session.id);
      },
    ],
    [
      'of another request',
      async () => {
        const proof = await proveDecision(t.gate, ann, annsPhone, { intentId: await asked() });
        await approve(ann, await asked(), proof);
      },
    ],
    [
      'of another decision',
      async () => {
        const intentId = await asked();
        const proofSessionId = await proveDecision(t.gate, ann, annsPhone, { intentId, decision: 'deny' });
        await approve(ann, intentId, proofSessionId);
      },
    ],
    [
      'of another approver',
      async () => {
        const ben = await personWithPasskey('ben@example.org');
        const intentId = await asked();
        await approve(ben.caller, intentId, await proveDecision(t.gate, ann, annsPhone, { intentId }));
      },
    ],
    ['that does not exist', async () => approve(ann, await asked(), 'prf_00000000000000000000000000')],
  ])('%s proves no approval', async (_what, attempt) => {
    expect((await refusalOf(attempt())).code).toBe('invalid_proof');
    expect(await t.events(t.projectId, 'approval.recorded', 'intent.approved')).toEqual([]);
  });

  it('becomes invalid when the passkey that completed it is removed', async () => {
    await enrolPasskey(t.gate, ann);
    const intentId = await asked();
    const proof = await proveDecision(t.gate, ann, annsPhone, { intentId });
    const lost = (await t.gate.storage.read.findPasskey(annsPhone.id))?.id ?? '';
    await removePasskey(t.gate, ann, { passkeyId: lost });
    expect((await refusalOf(approve(ann, intentId, proof))).code).toBe('invalid_proof');
    expect(await stateOf(intentId)).toEqual(UNTOUCHED);
  });

  it('of a person who is signed in proves no approval by their access token', async () => {
    const program = await t.addPerson('carl@example.org', 'approver');
    const caller = await (await signedIn(t.gate, program.userId)).caller();
    const { device } = await enrolPasskey(t.gate, caller);
    const intentId = await asked();
    const proofSessionId = await proveDecision(t.gate, caller, device, { intentId });
    const vote = decideIntent(t.gate, program.caller, {
      intentId,
      decision: 'approve',
      proofSessionId,
      intentHash: await shownHash(t.gate, intentId),
    });
    expect((await refusalOf(vote)).code).toBe('invalid_proof');
    expect(await stateOf(intentId)).toEqual(UNTOUCHED);
  });
});

describe('starting a passkey proof', () => {
  it('is refused to keys, access tokens and the operator, and so is submitting one', async () => {
    const intentId = await asked();
    const person = await t.addPerson('carl@example.org', 'admin');
    for (const caller of [t.agent, t.secret, t.verifier, person.caller, t.operator]) {
      const start = startProof(t.gate, caller, { intentId, decision: 'approve', method: 'passkey' });
      expect((await refusalOf(start)).code).toBe('forbidden');
      const submit = submitProof(t.gate, caller, {
        proofSessionId: (await started(intentId)).session.id,
        signals: {},
      });
      // An access token cannot submit to a session that it did not open.
      expect((await refusalOf(submit)).code).toBe(caller === person.caller ? 'invalid_proof' : 'forbidden');
    }
  });

  it('fails if the person has no passkey', async () => {
    const { userId } = await t.addPerson('dora@example.org', 'approver');
    const dora = await (await signedIn(t.gate, userId)).caller();
    expect((await refusalOf(started(await asked(), dora))).code).toBe('conflict');
  });

  it('requires a role that may decide and a request that is visible and pending', async () => {
    const { userId } = await t.addPerson('viewer@example.org', 'viewer');
    const viewer = await (await signedIn(t.gate, userId)).caller();
    await enrolPasskey(t.gate, viewer);
    const intentId = await asked();
    expect((await refusalOf(started(intentId, viewer))).code).toBe('forbidden');
    expect((await refusalOf(started('int_00000000000000000000000000'))).code).toBe('intent_not_found');
    await decideIntent(t.gate, ann, { intentId, decision: 'deny' });
    expect((await refusalOf(started(intentId))).code).toBe('intent_already_resolved');
    const short = await asked({ expiresInSeconds: 60 });
    t.clock.advance(60);
    expect((await refusalOf(started(short))).code).toBe('intent_expired');
  });

  it('offers only the person’s own passkeys', async () => {
    await personWithPasskey('ben@example.org');
    const { options, challenge } = await started(await asked());
    expect(options).toMatchObject({
      challenge,
      rpId: 'localhost',
      userVerification: 'required',
      allowCredentials: [{ id: annsPhone.id, type: 'public-key' }],
    });
  });

  it('opens a session to which nobody else can submit', async () => {
    const ben = await personWithPasskey('ben@example.org');
    const proof = await started(await asked());
    expect((await refusalOf(submitted(proof, {}, ben))).code).toBe('invalid_proof');
    expect((await submitted(proof)).triesLeft).toBe(4);
  });
});
