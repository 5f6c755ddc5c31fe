/**
 * Threat 14, proofs: a thief with a person's cookie but without their passkey approves nothing that requires the
 * passkey.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { asShown } from '../../packages/server/test/fixtures/as-shown.ts';
import { deviceFor, enrolPasskey, proveDecision } from '../../packages/server/test/fixtures/enrol-passkey.ts';
import { type SignedIn, signedIn } from '../../packages/server/test/fixtures/signed-in.ts';
import type { Dishonesty, SoftwarePasskey } from '../../packages/server/test/fixtures/software-passkey.ts';
import { type Answer, type Arena, openArena } from './open-arena.ts';
import { expectRefused } from './surfaces.ts';

let t: Arena;
/** The thief has Ann's cookie, and a device of their own. */
let ann: SignedIn;
let annsPhone: SoftwarePasskey;
let thiefsPhone: SoftwarePasskey;
let intentId: string;

beforeAll(async () => {
  t = await openArena({ mode: 'live' });
  const { userId } = await t.addPerson('ann@example.org', 'approver');
  ann = await signedIn(t.gate, userId);
  ({ device: annsPhone } = await enrolPasskey(t.gate, await ann.caller()));
  thiefsPhone = deviceFor(t.gate);
});
afterAll(() => t.close());

beforeEach(async () => {
  intentId = await asked();
});

async function asked(): Promise<string> {
  const { body } = await t.call('POST', '/v1/intents', {
    key: t.first.agent_key,
    body: { action: 'payments.refund', params: { amount: 5 }, proof_tier: 'passkey' },
  });
  return String(body.id);
}

const steal = (method: string, url: string, body: object): Promise<Answer> =>
  t.call(method, url, { headers: ann.headers, body });

async function startedProof(): Promise<{ id: string; challenge: string }> {
  const { body } = await steal('POST', '/api/verify/proof', {
    intent_id: intentId,
    decision: 'approve',
    method: 'passkey',
  });
  return body.proof_session as { id: string; challenge: string };
}

/** Tries on both surfaces. */
async function tryToApprove(proof?: { proof_session_id: string }): Promise<Answer[]> {
  const shown = await asShown(t.gate, intentId);
  return [
    await steal('PATCH', `/api/intents/${intentId}`, { decision: 'approve', ...shown, ...proof }),
    await steal('POST', `/v1/intents/${intentId}/approve`, { ...shown, ...proof }),
  ];
}

function expectAllRefused([onA, onB]: Answer[], status: number, code: string): void {
  if (!onA || !onB) throw new Error('tried on both surfaces');
  expectRefused('A', onA, status, code);
  expectRefused('B', onB, status, code);
}

describe('a stolen cookie', () => {
  it('alone approves nothing', async () => {
    const answers = await t.expectUnchanged(() => tryToApprove());
    expectAllRefused(answers, 403, 'PROOF_REQUIRED');
  });

  it.each<[string, () => Promise<Dishonesty & { device?: SoftwarePasskey }>]>([
    ['the thief’s own device', async () => ({ device: thiefsPhone })],
    ['a device that claims to be hers', async () => ({ credentialId: annsPhone.id, signedBy: thiefsPhone })],
    ['her device, left unlocked', async () => ({ userVerified: false })],
    ['her device, on a page of the thief’s', async () => ({ origin: 'https://permitry.evil.example' })],
    ['her device, in a frame', async () => ({ crossOrigin: true })],
    [
      'a proof that she signed for another intent',
      async () => {
        const mine = intentId;
        intentId = await asked();
        const other = await startedProof();
        intentId = mine;
        return { challenge: other.challenge };
      },
    ],
    [
      'a proof that she signed to deny it',
      async () => {
        const { body } = await steal('POST', '/api/verify/proof', {
          intent_id: intentId,
          decision: 'deny',
          method: 'passkey',
        });
        return { challenge: (body.proof_session as { challenge: string }).challenge };
      },
    ],
  ])('with %s approves nothing', async (_what, forge) => {
    const { device = annsPhone, ...otherwise } = await forge();
    const proof = await startedProof();
    const signals = device.authenticate(proof, otherwise);
    const submitted = await steal('POST', '/api/verify/proof', { proof_session_id: proof.id, signals });
    expect(submitted.body).toMatchObject({ proof_session: { status: 'failed', proof_tier: 'none' } });
    const answers = await t.expectUnchanged(() => tryToApprove({ proof_session_id: proof.id }));
    expectAllRefused(answers, 400, 'INVALID_PROOF');
  });

  it('with a proof that was used already approves nothing more', async () => {
    const proof_session_id = await proveDecision(t.gate, await ann.caller(), annsPhone, { intentId });
    expect((await tryToApprove({ proof_session_id }))[0]?.body.status).toBe('approved');
    intentId = await asked();
    const answers = await t.expectUnchanged(() => tryToApprove({ proof_session_id }));
    expectAllRefused(answers, 400, 'INVALID_PROOF');
  });

  it('adds no passkey and removes none once the sign-in is not recent', async () => {
    t.clock.advance(16 * 60);
    const own = `/console/account/passkeys/${(await t.gate.storage.read.findPasskey(annsPhone.id))?.id}`;
    await t.expectUnchanged(async () => {
      for (const [method, url] of [
        ['POST', '/console/account/passkeys/options'],
        ['DELETE', own],
      ] as const) {
        const answer = await steal(method, url, {});
        expect([answer.status, answer.body.error]).toMatchObject([403, { code: 'proof_required' }]);
      }
    });
  });

  it('connects no chat and removes none once the sign-in is not recent', async () => {
    const owner = await signedIn(t.gate, t.owner.userId);
    t.clock.advance(16 * 60);
    const hook = `/console/projects/${t.first.project_id}/chat-hook`;
    const listener = { url: 'https://thief.example.com/x', kinds: ['waiting'], minimum_risk_tier: 'low' };
    await t.expectUnchanged(async () => {
      for (const [method, body] of [
        ['PUT', listener],
        ['DELETE', undefined],
      ] as const) {
        const answer = await t.call(method, hook, { headers: owner.headers, ...(body && { body }) });
        expect([answer.status, answer.body.error]).toMatchObject([403, { code: 'proof_required' }]);
      }
    });
  });

  it('proves no presence with the thief’s device', async () => {
    const asked = await steal('POST', '/console/session/confirm/options', {});
    const { ticket, options } = asked.body as { ticket: string; options: { challenge: string } };
    const before = (await t.gate.storage.read.findSession(ann.sessionId))?.confirmedAt;
    for (const response of [
      thiefsPhone.authenticate(options),
      thiefsPhone.authenticate(options, { credentialId: annsPhone.id }),
    ]) {
      const answer = await steal('POST', '/console/session/confirm', { ticket, response });
      expect([answer.status, answer.body.error]).toMatchObject([400, { code: 'invalid_proof' }]);
    }
    expect((await t.gate.storage.read.findSession(ann.sessionId))?.confirmedAt).toBe(before);
  });
});
