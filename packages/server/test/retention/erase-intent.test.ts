/** What an intent shows after its texts were erased, on every surface and in every answer about it. */
import { type Receipt, verifyAuditExport, verifyReceiptOffline } from '@permitry/protocol';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { exportAudit } from '../../src/gate/audit/export-audit.ts';
import { verifyAudit } from '../../src/gate/audit/verify-audit.ts';
import { eraseIntent } from '../../src/gate/erasure/erase-intent.ts';
import { decideIntent } from '../../src/gate/intents/decide.ts';
import { readIntent } from '../../src/gate/intents/read.ts';
import { reportOutcome } from '../../src/gate/intents/report-outcome.ts';
import { withdrawIntent } from '../../src/gate/intents/withdraw.ts';
import { redeemPermit } from '../../src/gate/permits/redeem.ts';
import { revokePermit } from '../../src/gate/permits/revoke.ts';
import { verifyPermit } from '../../src/gate/permits/verify.ts';
import { putPolicy } from '../../src/gate/policy-management/put-policy.ts';
import { createProject } from '../../src/gate/projects/create-project.ts';
import { ON_SQLITE, OWNER_EMAIL } from '../fixtures/open-test-gate.ts';
import { refusalOf } from '../fixtures/refusal-of.ts';
import type { TestApp } from '../http/open-test-app.ts';
import { expectRefusal, INSTANT } from '../surfaces/expect-refusal.ts';
import { openDocumentedApp } from '../surfaces/open-documented-app.ts';
import { ACTION, type Approved, approvedAbout, asked } from './asked-and-approved.ts';
import { tracesOf } from './traces.ts';

const CUSTOMER = 'Zenobia Quirrenbach';

let t: TestApp;
beforeEach(async () => {
  t = await openDocumentedApp();
});
afterEach(() => t.close());

function erase(intentId: string) {
  return eraseIntent(t.gate, t.owner.caller, { projectId: t.projectId, intentId });
}

async function used(): Promise<Approved> {
  const approved = await approvedAbout(t, CUSTOMER);
  const { token, params } = approved;
  await verifyPermit(t.gate, t.verifier, { token, action: ACTION, params, consume: true });
  return approved;
}

function validate(body: object) {
  return t.call('POST', '/v1/permits/validate', { key: t.first.verifier_key, body });
}

describe('an erased intent', () => {
  it('shows on both surfaces and in lists that it was erased, and none of its texts', async () => {
    const { id } = await used();
    const before = (await t.call('GET', `/v1/intents/${id}`, { key: t.first.agent_key })).body;
    expect(await erase(id)).toMatchObject({ intents: 1 });

    const names = {
      approvals: [{ by: t.owner.userId, at: INSTANT, method: 'key' }],
      resolved_by: t.owner.userId,
    };
    const b = (await t.call('GET', `/v1/intents/${id}`, { key: t.first.agent_key })).body;
    expect(b).toEqual({
      ...before,
      ...names,
      params: {},
      metadata: {},
      erased_at: t.clock.now(),
      permit: { expires_at: INSTANT, approved_by: t.owner.userId, approved_at: INSTANT },
    });
    const a = (await t.call('GET', `/api/intents/${id}`, { key: t.first.secret_key })).body;
    expect(a).toMatchObject({
      ...names,
      context: {},
      reason: null,
      params_hash: before.params_hash,
      status: 'approved',
    });
    expect(a.erased_at).toBe(t.clock.now());
    expect(a).not.toHaveProperty('permit_token');
    expect(a).not.toHaveProperty('receipt_v2');
    const list = await t.call('GET', '/api/intents?status=resolved', { key: t.first.secret_key });
    expect(list.body.intents).toMatchObject([{ id, context: {}, erased_at: t.clock.now() }]);
    for (const { text } of [list, await t.call('GET', `/approve/${id}`)])
      expect(text).not.toContain(CUSTOMER);
  });

  it('has an erased_at, which other intents do not have', async () => {
    const { id } = await used();
    const b = (await t.call('GET', `/v1/intents/${id}`, { key: t.first.agent_key })).body;
    expect(b).not.toHaveProperty('erased_at');
    expect(b.params).toMatchObject({ to: CUSTOMER });
  });

  it('keeps the hashes by which its permit is recognised and refused for the real reason', async () => {
    const { id, token, params } = await used();
    const answers = async () => [
      (await validate({ token, action: ACTION, params, consume: true })).body.error,
      (await validate({ token, action: ACTION, params: { ...params, to: 'x' } })).body.error,
      (await validate({ token, action: 'mail.read', params })).body.error,
      (await validate({ token: `${token}x`, action: ACTION, params })).body.error,
    ];
    const reasons = ['already_used', 'params_mismatch', 'action_mismatch', 'malformed'].map((reason) => ({
      reason,
    }));
    expect(await answers()).toMatchObject(reasons);
    await erase(id);
    expect(await answers()).toMatchObject(reasons);
    const introspected = await t.call('POST', '/v1/permits/introspect', {
      key: t.first.verifier_key,
      body: `token=${token}`,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    expect(introspected.text).toBe('{"active":false}');
  });

  it('authorises nothing, even under a policy that allows everything', async () => {
    const { id, token, params } = await approvedAbout(t, CUSTOMER);
    t.clock.advance(3601);
    await erase(id);
    // With a lenient policy, and a clock set back to before the permit's expiry.
    const document = {
      name: 'anything goes',
      default: { approvers: ['role:approver'], min_approvals: 1 },
      rules: [{ name: 'all', match: { action: '*' }, effect: 'allow' }],
    };
    await putPolicy(t.gate, t.owner.caller, { projectId: t.projectId, document });
    t.clock.advance(-3601);
    for (const consume of [false, true]) {
      const refusal = await refusalOf(
        verifyPermit(t.gate, t.verifier, { token, action: ACTION, params, consume }),
      );
      expect(refusal).toMatchObject({ code: 'permit_invalid', details: { reason: 'expired' } });
    }
    expect(await refusalOf(redeemPermit(t.gate, t.agent, id))).toMatchObject({ code: 'permit_invalid' });
  });

  it('has a receipt that still verifies for anyone who kept it, until the approval is revoked', async () => {
    const { id, params } = await used();
    const { body } = await t.call('GET', `/api/intents/${id}`, { key: t.first.secret_key });
    const receipt = body.receipt_v2 as unknown as Receipt;
    await erase(id);
    const verify = (presented: unknown, more: object = {}) =>
      t.call('POST', '/api/intents/permit/verify', {
        key: t.first.verifier_key,
        body: { receipt: presented, action: ACTION, context: params, ...more },
      });
    for (const presented of [receipt, receipt.jws]) {
      const answer = await verify(presented);
      expect(answer.body).toMatchObject({ valid: true, bound: true, authorizes: false, receipt_v2: receipt });
    }
    expectRefusal(await verify(`${receipt.jws.slice(0, -4)}AAAA`), 400, 'INVALID_PERMIT', {
      reason: 'tampered',
    });
    expectRefusal(await verify(receipt, { context: {} }), 400, 'INVALID_PERMIT', {
      reason: 'params_mismatch',
    });
    const altered = { ...receipt, approved_by: 'mallory@example.org' };
    expectRefusal(await verify(altered), 400, 'INVALID_PERMIT', { reason: 'tampered' });
    const jwks = { keys: [...t.gate.tokens.signer.publicKeys()] };
    const now = Date.parse(t.clock.now()) / 1000;
    expect((await verifyReceiptOffline(receipt, { jwks, issuer: t.gate.issuer, now })).ok).toBe(true);

    await revokePermit(t.gate, t.secret, { target: { intentId: id } });
    expectRefusal(await verify(receipt), 400, 'INVALID_PERMIT', { reason: 'revoked' });
  });

  it('stays in the audit log by hash, and the chain verifies in the gate and in an export', async () => {
    const { id } = await used();
    const before = await t.events(t.projectId);
    await erase(id);
    const after = await t.events(t.projectId);
    expect(after.slice(0, before.length).map(({ hash, eventHash }) => [hash, eventHash])).toEqual(
      before.map(({ hash, eventHash }) => [hash, eventHash]),
    );
    const voted = after.find(({ type }) => type === 'approval.recorded');
    expect(voted).toMatchObject({
      actor: { display: null },
      data: { comment: null },
      commitments: { '/data/comment': { salt: null }, '/actor/display': { salt: null } },
    });
    expect(after.at(-1)).toMatchObject({
      type: 'text.erased',
      intentId: id,
      actor: { id: t.owner.userId },
      data: { subject: 'intent', person_id: null, older_than: null },
    });
    expect((await verifyAudit(t.gate, t.owner.caller, t.projectId)).valid).toBe(true);
    const lines = await exportAudit(t.gate, t.owner.caller, t.projectId);
    const collected: string[] = [];
    for await (const line of lines) collected.push(line);
    expect(collected.join('\n')).not.toContain(CUSTOMER);
    const jwks = { keys: [...t.gate.tokens.signer.publicKeys()] };
    expect(await verifyAuditExport(collected, { jwks })).toMatchObject({ valid: true });
    const audit = await t.call('GET', `/v1/projects/${t.projectId}/audit?intent_id=${id}`, {
      key: t.owner.token,
    });
    expect(audit.status).toBe(200);
    expect(audit.text).not.toContain(CUSTOMER);
  });

  it.runIf(ON_SQLITE)('can be erased again, which removes only the texts written since', async () => {
    const { id } = await used();
    await erase(id);
    const report = { intentId: id, outcome: 'failed' as const, detail: `${CUSTOMER} could not be reached` };
    await reportOutcome(t.gate, t.verifier, report);
    expect(tracesOf(t.dataDir, CUSTOMER)).not.toEqual([]);
    expect(await erase(id)).toMatchObject({ intents: 1, records: 1 });
    expect(tracesOf(t.dataDir, CUSTOMER)).toEqual([]);
    expect((await verifyAudit(t.gate, t.owner.caller, t.projectId)).valid).toBe(true);
  });

  it.runIf(ON_SQLITE)(
    'loses the tokens of all its permits, but keeps a source that is an agent’s name',
    async () => {
      const { id } = await approvedAbout(t, CUSTOMER);
      const { permit } = await redeemPermit(t.gate, t.agent, id);
      expect(permit).not.toBeNull();
      await revokePermit(t.gate, t.secret, { target: { intentId: id }, reason: `${CUSTOMER} said no` });
      expect(tracesOf(t.dataDir, permit?.token.split('.')[2] ?? '')).not.toEqual([]);
      await erase(id);
      expect(tracesOf(t.dataDir, permit?.token.split('.')[2] ?? '')).toEqual([]);
      const { intent } = await readIntent(t.gate, t.agent, id);
      expect(intent.source).toBe(t.agent.agent.name);
    },
  );
});

describe('a denied, withdrawn or expired intent', () => {
  it('loses its texts as well, but keeps the reason “withdrawn”, which is not personal', async () => {
    const denied = await asked(t, CUSTOMER);
    await decideIntent(t.gate, t.secret, {
      intentId: denied.id,
      decision: 'deny',
      reason: `not to ${CUSTOMER}`,
    });
    const withdrawn = await asked(t, CUSTOMER);
    await withdrawIntent(t.gate, t.agent, withdrawn.id);
    const expired = await asked(t, CUSTOMER);
    t.clock.advance(3601);
    const reasons: unknown[] = [];
    for (const { id } of [denied, withdrawn, expired]) {
      await t.call('GET', `/v1/intents/${id}`, { key: t.first.agent_key });
      await erase(id);
      const { body } = await t.call('GET', `/v1/intents/${id}`, { key: t.first.agent_key });
      expect(body).toMatchObject({ params: {}, metadata: {}, erased_at: t.clock.now() });
      reasons.push(body.reason);
    }
    expect(reasons).toEqual([null, 'withdrawn', null]);
    expect(tracesOf(t.dataDir, CUSTOMER)).toEqual([]);
  });
});

describe('erasing an intent is refused', () => {
  it('while it is pending or its permit can be used', async () => {
    const pending = await asked(t, CUSTOMER);
    expect(await refusalOf(erase(pending.id))).toMatchObject({ code: 'conflict' });
    const approved = await approvedAbout(t, CUSTOMER);
    expect(await refusalOf(erase(approved.id))).toMatchObject({ code: 'conflict' });
    t.clock.advance(301);
    // The intent's permit has expired, but the requester may get a fresh permit.
    expect(await refusalOf(erase(approved.id))).toMatchObject({ code: 'conflict' });
    const { token, params } = {
      ...approved,
      token: (await redeemPermit(t.gate, t.agent, approved.id)).permit?.token ?? '',
    };
    await verifyPermit(t.gate, t.verifier, { token, action: ACTION, params, consume: true });
    expect(await erase(approved.id)).toMatchObject({ intents: 1 });
    expect(
      (await t.call('GET', `/v1/intents/${pending.id}`, { key: t.first.agent_key })).body.params,
    ).toEqual(pending.params);
    expect(await t.events(t.projectId, 'text.erased')).toHaveLength(1);
  });

  it('if it is unknown or belongs to another project', async () => {
    const { id } = await used();
    const other = await t.addPerson('other@example.org', 'owner');
    expect(await refusalOf(erase('int_01hzzzzzzzzzzzzzzzzzzzzzzz'))).toMatchObject({
      code: 'intent_not_found',
    });
    const { project } = await createProject(t.gate, t.operator, {
      name: 'Another',
      mode: 'test',
      ownerEmail: other.email,
    });
    const theirs = eraseIntent(t.gate, t.operator, { projectId: project.id, intentId: id });
    expect(await refusalOf(theirs)).toMatchObject({ code: 'intent_not_found' });
    expect((await t.call('GET', `/v1/intents/${id}`, { key: t.first.agent_key })).body).not.toHaveProperty(
      'erased_at',
    );
  });
});

it('erasing an intent also erases its answer stored under an Idempotency-Key, and the request is not repeated', async () => {
  const create = () =>
    t.call('POST', '/v1/intents', {
      key: t.first.agent_key,
      headers: { 'idempotency-key': 'once' },
      body: { action: ACTION, params: { to: CUSTOMER } },
    });
  const { body } = await create();
  expect((await create()).headers['idempotency-replayed']).toBe('true');
  await withdrawIntent(t.gate, t.agent, String(body.id));
  expect(await erase(String(body.id))).toMatchObject({ answers: 1 });
  expectRefusal(await create(), 409, 'conflict');
  expect(await t.events(t.projectId, 'intent.created')).toHaveLength(1);
  const other = await t.call('POST', '/v1/intents', {
    key: t.first.agent_key,
    headers: { 'idempotency-key': 'once' },
    body: { action: 'other' },
  });
  expectRefusal(other, 422, 'idempotency_conflict');
  expect(tracesOf(t.dataDir, CUSTOMER)).toEqual([]);
});

it('erasing an intent removes the addresses of approvers whom it named', async () => {
  await t.addPerson('bob@example.org', 'approver');
  const { id } = await asked(t, CUSTOMER, ['bob@example.org', OWNER_EMAIL]);
  await withdrawIntent(t.gate, t.agent, id);
  await erase(id);
  const { body } = await t.call('GET', `/v1/intents/${id}`, { key: t.first.agent_key });
  expect(body.approvers).toEqual(['erased', 'erased']);
});
