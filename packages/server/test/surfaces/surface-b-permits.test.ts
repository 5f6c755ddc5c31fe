import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { OWNER_EMAIL } from '../fixtures/open-test-gate.ts';
import type { TestApp } from '../http/open-test-app.ts';
import { anId, aReceipt, expectFields, expectRefusal, HASH, INSTANT } from './expect-refusal.ts';
import { openDocumentedApp } from './open-documented-app.ts';

let t: TestApp;
let secret: string;
let agent: string;
beforeEach(async () => {
  t = await openDocumentedApp();
  secret = t.first.secret_key;
  agent = t.first.agent_key;
});
afterEach(async () => {
  await t.close();
});

const MAIL = { action: 'mail.send', params: { to: 'a@example.org' } };

async function approved(): Promise<{ id: string; token: string }> {
  const { body } = await t.call('POST', '/v1/intents', { key: agent, body: MAIL });
  const answer = await t.call('POST', `/v1/intents/${String(body.id)}/approve`, { key: secret, body: {} });
  return { id: String(body.id), token: (answer.body.permit as { token: string }).token };
}

function validate(body: object, key = secret) {
  return t.call('POST', '/v1/permits/validate', { key, body });
}

function revoke(body: object, key = secret) {
  return t.call('POST', '/v1/permits/revoke', { key, body });
}

describe('POST /v1/permits/validate', () => {
  const VALID = {
    valid: true,
    bound: true,
    authorizes: true,
    consumed: false,
    intent_id: anId('int'),
    action: 'mail.send',
    params_hash: HASH,
    policy_hash: HASH,
    proof_tier: 'none',
    approved_by: OWNER_EMAIL,
    approved_at: INSTANT,
    expires_at: INSTANT,
    mode: 'test',
    receipt_v2: aReceipt(),
  };

  it('returns what the permit authorises, with all members and no others', async () => {
    const { token } = await approved();
    for (const key of [agent, secret, t.first.verifier_key]) {
      const answer = await validate({ token, ...MAIL }, key);
      expect(answer.status).toBe(200);
      expect(answer.body).toEqual(VALID);
    }
    expect((await validate({ token })).body).toEqual({ ...VALID, bound: false, authorizes: false });
  });

  it('ignores the order of members, but no other difference in the parameters', async () => {
    const { body } = await t.call('POST', '/v1/intents', {
      key: secret,
      body: { action: 'x', params: { a: 1, b: { c: [1, 2], d: 'e' } } },
    });
    const answer = await t.call('POST', `/v1/intents/${String(body.id)}/approve`, { key: secret });
    const { token } = answer.body.permit as { token: string };
    const same = await validate({ token, action: 'x', params: { b: { d: 'e', c: [1, 2] }, a: 1.0 } });
    expect(same.status).toBe(200);
    for (const params of [
      { a: 1, b: { c: [2, 1], d: 'e' } },
      { a: 1 },
      { a: '1', b: { c: [1, 2], d: 'e' } },
    ]) {
      const other = await validate({ token, action: 'x', params });
      expectRefusal(other, 400, 'permit_invalid', { reason: 'params_mismatch' });
    }
  });

  it('consumes a permit once, however many callers try at once on both surfaces', async () => {
    const { token } = await approved();
    const { params: context, action } = MAIL;
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, n) =>
        n % 2
          ? validate({ token, ...MAIL, consume: true })
          : t.call('POST', '/api/intents/permit/verify', {
              key: secret,
              body: { permit_token: token, action, context, consume: true },
            }),
      ),
    );
    const won = answers.filter(({ status }) => status === 200);
    expect(won.map(({ body }) => body)).toEqual([{ ...VALID, consumed: true }]);
    for (const { body } of answers.filter(({ status }) => status !== 200)) {
      expect(body).toMatchObject({ error: { reason: 'already_used' } });
    }
    expect(await t.events(t.projectId, 'permit.consumed')).toHaveLength(1);
  });

  it('evaluates the policy again, and refuses the permit if it is stricter now but not if it is milder', async () => {
    const { token } = await approved();
    const put = (...rules: object[]) =>
      t.call('PUT', `/v1/projects/${t.projectId}/policies`, {
        key: secret,
        body: { name: 'p', default: { approvers: ['role:approver'], min_approvals: 1 }, rules },
      });
    const match = { action: 'mail.*' };
    await put({ name: 'never', match, effect: 'deny' });
    const denied = await validate({ token, ...MAIL, consume: true });
    expectRefusal(denied, 400, 'permit_invalid', { reason: 'policy_changed' });
    await put({ name: 'free', match, effect: 'allow' });
    expect((await validate({ token, ...MAIL, consume: true })).status).toBe(200);
  });

  it.each([
    [{}, ['/token']],
    [{ token: 'x', consume: true }, ['/action', '/params']],
    [{ token: 'x', consume: true, action: 'mail.send' }, ['/params']],
    [{ token: 'x', context: {} }, ['/context']],
    [{ token: null }, ['/token']],
  ])('refuses %j', async (body, paths) => {
    expectFields(await validate(body), 'invalid_request', ...paths);
  });

  it('refuses text of any length that is not a token', async () => {
    for (const token of [
      '',
      'x',
      'a.b.c',
      'eyJhbGciOiJub25lIn0.e30.',
      '. .',
      'prm_secret_test_x',
      'x'.repeat(200_000),
    ])
      expectRefusal(await validate({ token, ...MAIL }), 400, 'permit_invalid', { reason: 'malformed' });
  });
});

describe('POST /v1/permits/revoke', () => {
  it.each(['intent_id', 'token'])(
    'revokes an approval by %s only once, for services and for people',
    async (by) => {
      for (const key of [secret, t.owner.token]) {
        const { id, token } = await approved();
        const body = { ...(by === 'token' ? { token } : { intent_id: id }), reason: 'Wrong customer.' };
        const answer = await revoke(body, key);
        expect(answer.status).toBe(200);
        expect(answer.body).toEqual({ intent_id: id, revocation_status: 'revoked', revoked_at: INSTANT });
        t.clock.advance(1);
        expect((await revoke(body, key)).body).toEqual(answer.body);
        expect(await t.events(t.projectId, 'permit.revoked')).toHaveLength(key === secret ? 1 : 2);
        expectRefusal(await validate({ token, ...MAIL }), 400, 'permit_invalid', { reason: 'revoked' });
        const read = await t.call('GET', `/api/intents/${id}`, { key: agent });
        expect(read.body).toMatchObject({ status: 'approved', receipt_v2: { revocation_status: 'revoked' } });
      }
    },
  );

  it('refuses an intent that is not approved or unknown, and a body that names no intent or names it twice', async () => {
    const { body } = await t.call('POST', '/v1/intents', { key: agent, body: MAIL });
    expectRefusal(await revoke({ intent_id: body.id }), 409, 'conflict');
    for (const intent_id of [
      'int_00000000000000000000000000',
      'int_x',
      'agt_x',
      'x',
      '',
      'ü',
      'x'.repeat(65),
    ])
      expectRefusal(await revoke({ intent_id }), 404, 'intent_not_found');
    expectFields(await revoke({}), 'invalid_request', '/intent_id');
    expectFields(await revoke({ intent_id: body.id, token: 'x' }), 'invalid_request', '/intent_id');
    for (const key of [secret, t.owner.token]) {
      expectRefusal(await revoke({ token: 'a.b.c' }, key), 400, 'permit_invalid', { reason: 'malformed' });
    }
  });
});
