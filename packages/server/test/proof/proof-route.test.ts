/** `POST /api/verify/proof` as a browser calls it, and decisions with the resulting proof session. */
import { readApproverKeys, verifyApprovalEvidence, verifyReceiptOffline } from '@permitry/protocol';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { addDeviceKey } from '../../src/people/device-keys/add-device-key.ts';
import { asShown } from '../fixtures/as-shown.ts';
import { enrolPasskey } from '../fixtures/enrol-passkey.ts';
import { type SignedIn, signedIn } from '../fixtures/signed-in.ts';
import { SoftwareDeviceKey } from '../fixtures/software-device-key.ts';
import type { SoftwarePasskey } from '../fixtures/software-passkey.ts';
import type { TestApp } from '../http/open-test-app.ts';
import { openDocumentedApp } from '../surfaces/open-documented-app.ts';

let t: TestApp;
let ann: SignedIn;
let phone: SoftwarePasskey;

beforeEach(async () => {
  t = await openDocumentedApp({ mode: 'live' });
  const { userId } = await t.addPerson('ann@example.org', 'approver');
  ann = await signedIn(t.gate, userId);
  phone = (await enrolPasskey(t.gate, await ann.caller())).device;
});
afterEach(() => t.close());

const PARAMS = { amount: 5 };
const prove = (body: object, headers: Record<string, string> = ann.headers) =>
  t.call('POST', '/api/verify/proof', { headers, body });

async function asked(): Promise<string> {
  const { body } = await t.call('POST', '/v1/intents', {
    key: t.first.agent_key,
    body: { action: 'payments.refund', params: PARAMS, proof_tier: 'passkey' },
  });
  return String(body.id);
}

type Started = { id: string; challenge: string; options: { challenge: string } };

async function proved(intentId: string): Promise<string> {
  const start = await prove({ intent_id: intentId, decision: 'approve', method: 'passkey' });
  const session = start.body.proof_session as Started;
  const submit = await prove({
    proof_session_id: session.id,
    signals: phone.authenticate(session.options),
  });
  expect(submit.body).toEqual({
    proof_session: { id: session.id, status: 'completed', proof_tier: 'passkey', tries_left: 4 },
  });
  return session.id;
}

describe('a person', () => {
  it('opens a proof session, submits the passkey’s signature, and decides on surface A', async () => {
    const id = await asked();
    const start = await prove({ intent_id: id, decision: 'approve', method: 'passkey' });
    expect(start.status).toBe(201);
    expect(start.body.proof_session).toMatchObject({
      id: expect.stringMatching(/^prf_/),
      status: 'pending',
      method: 'passkey',
      expires_at: new Date(Date.parse(t.clock.now()) + 300_000).toISOString(),
    });
    const proof_session_id = await proved(id);
    const answer = await t.call('PATCH', `/api/intents/${id}`, {
      headers: ann.headers,
      body: { decision: 'approve', proof_session_id, ...(await asShown(t.gate, id)) },
    });
    expect(answer.body).toMatchObject({ status: 'approved', receipt_v2: { proof_tier_achieved: 'passkey' } });
  });

  it('can decide with a passkey proof on surface B', async () => {
    const id = await asked();
    const answer = await t.call('POST', `/v1/intents/${id}/approve`, {
      headers: ann.headers,
      body: { proof_session_id: await proved(id), ...(await asShown(t.gate, id)) },
    });
    expect(answer.body).toMatchObject({ status: 'approved', approvals: [{ method: 'passkey' }] });
  });

  it('approves with a receipt that verifies with the gate, its public keys and the person’s exported keys', async () => {
    const id = await asked();
    await t.call('POST', `/v1/intents/${id}/approve`, {
      headers: ann.headers,
      body: { proof_session_id: await proved(id), ...(await asShown(t.gate, id)) },
    });
    const { body } = await t.call('GET', `/api/intents/${id}`, { key: t.first.agent_key });
    const receipt = body.receipt_v2 as Parameters<typeof verifyReceiptOffline>[0];
    const file = await t.call('GET', '/console/account/passkeys/export', { headers: ann.headers });
    expect(file.headers['content-disposition']).toContain('attachment');

    const approverKeys = readApproverKeys([file.body]);
    const verified = await verifyApprovalEvidence(receipt, {
      approverKeys,
      action: 'payments.refund',
      params: PARAMS,
    });
    expect(verified).toMatchObject({ ok: true, approvals: [{ by: 'ann@example.org', signed: true }] });
    const jwks = { keys: t.gate.tokens.signer.publicKeys() };
    const now = Date.parse(t.clock.now()) / 1000;
    expect((await verifyReceiptOffline(receipt, { jwks, issuer: t.gate.issuer, now })).ok).toBe(true);
    const asSent = await t.call('POST', '/api/intents/permit/verify', {
      key: t.first.verifier_key,
      body: { receipt, action: 'payments.refund', context: PARAMS },
    });
    expect(asSent.body).toMatchObject({ valid: true, authorizes: false });
  });

  it('sees that a signature failed and how many tries are left', async () => {
    const start = await prove({ intent_id: await asked(), decision: 'approve', method: 'passkey' });
    const { id, options } = start.body.proof_session as Started;
    const signals = phone.authenticate(options, { userVerified: false });
    const answer = await prove({ proof_session_id: id, signals });
    expect([answer.status, answer.body]).toEqual([
      200,
      { proof_session: { id, status: 'failed', proof_tier: 'none', tries_left: 4 } },
    ]);
  });

  it('opens one proof session per Idempotency-Key', async () => {
    const body = { intent_id: await asked(), decision: 'approve', method: 'passkey' };
    const headers = { ...ann.headers, 'idempotency-key': 'k-1' };
    const [first, again] = [await prove(body, headers), await prove(body, headers)];
    expect(again.body).toEqual(first.body);
    expect(again.headers['idempotency-replayed']).toBe('true');
  });

  it('gets the same device proof session again for one Idempotency-Key, which stores nothing of the request', async () => {
    const { token, caller } = await t.addPerson('dan@example.org', 'approver');
    const key = { id: t.gate.ids.next('dvk'), jwk: new SoftwareDeviceKey().jwk, name: 'desk', address: null };
    await t.gate.storage.transaction((tx) => addDeviceKey(t.gate, tx, caller.user, key));
    const body = { intent_id: await asked(), decision: 'approve', method: 'device' };
    const ask = () =>
      t.call('POST', '/api/verify/proof', { key: token, body, headers: { 'idempotency-key': 'k-2' } });
    const [first, again] = [await ask(), await ask()];
    expect(first.body.proof_session).toMatchObject({
      options: { terms: { approver: 'dan@example.org' }, intent: { params: PARAMS } },
    });
    expect(again.body).toEqual(first.body);
    const scope = `${caller.credentialId} POST /api/verify/proof`;
    const kept = await t.gate.storage.read.findIdempotencyRecord(scope, 'k-2', t.clock.now());
    expect(kept?.body).toMatchObject({ proof_session: { method: 'device' } });
    expect(JSON.stringify(kept?.body)).not.toMatch(/dan@example|amount|refund/);
    const { id } = first.body.proof_session as Started;
    await prove({ proof_session_id: id, signals: {} }, { authorization: `Bearer ${token}` });
    t.clock.advance(300);
    expect((await ask()).body).toMatchObject({ error: { code: 'INVALID_PROOF' } });
  });

  it.each<[string, object, string, string[]]>([
    ['an empty body', {}, 'MISSING_FIELDS', ['/intent_id', '/decision', '/method']],
    ['an incomplete start', { intent_id: 'int_1', decision: 'approve' }, 'MISSING_FIELDS', ['/method']],
    ['a session without signals', { proof_session_id: 'prf_1' }, 'MISSING_FIELDS', ['/signals']],
    ['signals without a session', { signals: {} }, 'MISSING_FIELDS', ['/proof_session_id']],
    [
      'a start and signals at once',
      { proof_session_id: 'prf_1', signals: {}, method: 'passkey' },
      'INVALID_FIELDS',
      ['/method'],
    ],
    [
      'an unknown method',
      { intent_id: 'int_1', decision: 'approve', method: 'sms' },
      'INVALID_FIELDS',
      ['/method'],
    ],
    [
      'a body with an extra member',
      { proof_session_id: 'prf_1', signals: {}, approver: 'a' },
      'INVALID_FIELDS',
      ['/approver'],
    ],
  ])('gets an error that names the missing or wrong fields of %s', async (_what, body, code, paths) => {
    const answer = await prove(body);
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ error: { code, fields: paths.map((path) => ({ path })) } });
  });
});

it('a proof session that does not exist is refused on both surfaces, and no approval is recorded', async () => {
  const id = await asked();
  const before = await t.gate.storage.read.findIntent(id);
  const body = { proof_session_id: 'prf_00000000000000000000000000' };
  const key = t.first.secret_key;
  for (const [code, answer] of [
    [
      'INVALID_PROOF',
      await t.call('PATCH', `/api/intents/${id}`, { key, body: { decision: 'approve', ...body } }),
    ],
    ['invalid_proof', await t.call('POST', `/v1/intents/${id}/approve`, { key, body })],
  ] as const) {
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ error: { code } });
  }
  expect(await t.gate.storage.read.findIntent(id)).toEqual(before);
  expect(await t.gate.storage.read.listApprovals(id)).toEqual([]);
});

describe('no proof session is opened', () => {
  it('for a request that does not exist, is decided or has expired', async () => {
    const start = async (intent_id: string) => {
      const { status, body } = await prove({ intent_id, decision: 'approve', method: 'passkey' });
      return [status, (body.error as { code: string }).code];
    };
    expect(await start('int_x')).toEqual([404, 'INTENT_NOT_FOUND']);
    const decided = await asked();
    const denied = await t.call('POST', `/v1/intents/${decided}/deny`, { headers: ann.headers, body: {} });
    expect(denied.status).toBe(200);
    expect(await start(decided)).toEqual([409, 'INTENT_ALREADY_RESOLVED']);
    const late = await asked();
    t.clock.advance(3601);
    expect(await start(late)).toEqual([410, 'INTENT_EXPIRED']);
  });
});

describe('a passkey proof is refused', () => {
  it('from keys and access tokens, which the audit log records', async () => {
    const intent_id = await asked();
    const keys = [t.first.agent_key, t.first.secret_key, t.first.verifier_key, t.owner.token];
    for (const key of keys) {
      const body = { intent_id, decision: 'approve', method: 'passkey' };
      const answer = await t.call('POST', '/api/verify/proof', { key, body });
      expect([answer.status, answer.body.error]).toMatchObject([403, { code: 'FORBIDDEN' }]);
    }
    const refusals = await t.events(t.projectId, 'access.refused');
    expect(refusals.map(({ data }) => data.route)).toEqual(keys.map(() => 'POST /api/verify/proof'));
  });

  it('from another site', async () => {
    const body = { intent_id: await asked(), decision: 'approve', method: 'passkey' };
    const answer = await prove(body, { ...ann.headers, origin: 'https://evil.example' });
    expect(answer.status).toBe(403);
  });
});
