/**
 * `POST /v1/permits/introspect` follows RFC 7662: it takes a form and returns `active`, without a reason when that is
 * false.
 */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { pauseAgent, resumeAgent } from '../../src/gate/agents/agent-status.ts';
import { revokePermit } from '../../src/gate/permits/revoke.ts';
import { verifyPermit } from '../../src/gate/permits/verify.ts';
import { putPolicy } from '../../src/gate/policy-management/put-policy.ts';
import { createProject } from '../../src/gate/projects/create-project.ts';
import { startProject, stopProject } from '../../src/gate/projects/stop-switch.ts';
import { createKey } from '../../src/people/keys/create-key.ts';
import { type ApprovedIntent, approvedIntent, REFUND } from '../fixtures/approved-intent.ts';
import { OPERATOR, OWNER_EMAIL } from '../fixtures/open-test-gate.ts';
import type { TestApp } from '../http/open-test-app.ts';
import { anId, expectFields, expectRefusal, HASH, INSTANT } from '../surfaces/expect-refusal.ts';
import { openDocumentedApp } from '../surfaces/open-documented-app.ts';

const PATH = '/v1/permits/introspect';
const FORM = 'application/x-www-form-urlencoded';
const INACTIVE = '{"active":false}';

let t: TestApp;
let approved: ApprovedIntent;
beforeEach(async () => {
  t = await openDocumentedApp();
  approved = await approvedIntent(t);
});
afterEach(() => t.close());

function post(body: string, key = t.first.verifier_key, type = FORM) {
  return t.call('POST', PATH, { key, body, headers: { 'content-type': type } });
}

function introspect(token: string, key?: string) {
  return post(new URLSearchParams({ token }).toString(), key);
}

describe('a usable permit', () => {
  it('is active, with its claims, for every key that may verify it', async () => {
    const expected = {
      active: true,
      iss: 'http://localhost:4000',
      aud: t.projectId,
      sub: t.agentId,
      jti: anId('pmt'),
      iat: expect.any(Number),
      nbf: expect.any(Number),
      exp: expect.any(Number),
      txn: approved.id,
      token_type: 'N_A',
      mode: 'test',
      action: REFUND.action,
      params_hash: HASH,
      intent_hash: HASH,
      policy_hash: HASH,
      proof_tier: 'none',
      approval: { by: [OWNER_EMAIL], at: INSTANT, method: 'key' },
    };
    for (const key of [t.first.verifier_key, t.first.secret_key, t.first.agent_key]) {
      const answer = await introspect(approved.token, key);
      expect(answer.status).toBe(200);
      expect(answer.body).toEqual(expected);
      expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
      expect(answer.headers['cache-control']).toBe('no-store');
    }
    const { exp, iat } = (await introspect(approved.token)).body as { exp: number; iat: number };
    expect(exp - iat).toBe(300);
  });

  it('is not used up by introspection', async () => {
    for (let times = 0; times < 3; times += 1) await introspect(approved.token);
    const used = await verifyPermit(t.gate, t.verifier, { token: approved.token, ...REFUND, consume: true });
    expect(used.intent.consumedAt).not.toBeNull();
    expect(await t.events(t.projectId, 'permit.consumed')).toHaveLength(1);
  });

  it('is accepted in the example request of RFC 7662 §2.1, with its hint', async () => {
    const answer = await post(`token=${approved.token}&token_type_hint=access_token`);
    expect(answer.body).toMatchObject({ active: true });
    const theirs = await post('token=2YotnFZFEjr1zCsicMWpAA');
    expect([theirs.status, theirs.text]).toEqual([200, INACTIVE]);
  });
});

describe('introspection says only that a permit is inactive', () => {
  async function expectInactive(token = approved.token, key?: string): Promise<void> {
    const answer = await introspect(token, key);
    expect([answer.status, answer.text]).toEqual([200, INACTIVE]);
  }

  it('when it has expired', async () => {
    t.clock.advance(299);
    expect((await introspect(approved.token)).body.active).toBe(true);
    t.clock.advance(1);
    await expectInactive();
  });

  it('when it is used', async () => {
    await verifyPermit(t.gate, t.verifier, { token: approved.token, ...REFUND, consume: true });
    await expectInactive();
  });

  it('when it is revoked', async () => {
    await revokePermit(t.gate, t.secret, { target: { intentId: approved.id } });
    await expectInactive();
  });

  it('while its agent is paused', async () => {
    const agent = { projectId: t.projectId, agentId: t.agentId };
    await pauseAgent(t.gate, t.owner.caller, agent);
    await expectInactive();
    await resumeAgent(t.gate, t.owner.caller, agent);
    expect((await introspect(approved.token)).body.active).toBe(true);
  });

  it('while its project is stopped', async () => {
    await stopProject(t.gate, t.owner.caller, { projectId: t.projectId });
    await expectInactive();
    await startProject(t.gate, t.owner.caller, { projectId: t.projectId });
    expect((await introspect(approved.token)).body.active).toBe(true);
  });

  it('when the policy now denies its action', async () => {
    const document = {
      name: 'stricter',
      default: { approvers: ['role:approver'], min_approvals: 1 },
      rules: [{ name: 'none', match: { action: 'payments.*' }, effect: 'deny' }],
    };
    await putPolicy(t.gate, t.owner.caller, { projectId: t.projectId, document });
    await expectInactive();
  });

  it('to a key of another project, in either mode', async () => {
    for (const mode of ['test', 'live'] as const) {
      const { project } = await createProject(t.gate, OPERATOR, {
        name: `Another in ${mode}`,
        mode,
        ownerEmail: OWNER_EMAIL,
      });
      const { key } = await createKey(t.gate, OPERATOR, {
        projectId: project.id,
        kind: 'verify',
        name: 'theirs',
      });
      await expectInactive(approved.token, key);
    }
  });

  it('to another agent', async () => {
    const { key } = await t.addAgent({ name: 'another-bot' });
    await expectInactive(approved.token, key);
  });

  it('when it is altered, another kind of token, or no token', async () => {
    const { body } = await t.call('GET', `/api/intents/${approved.id}`, { key: t.first.secret_key });
    const receipt = (body.receipt_v2 as { jws: string }).jws;
    const [header, claims, signature] = approved.token.split('.');
    const altered = `${header}.${claims?.replace(/.$/, (c) => (c === 'A' ? 'B' : 'A'))}.${signature}`;
    for (const token of [altered, receipt, 'x', '.', '..', 'ä', ' ', 'a'.repeat(40_000)]) {
      await expectInactive(token);
    }
  });
});

describe('an introspection request is refused', () => {
  it('without a key, or with one that may not verify', async () => {
    expectRefusal(await introspect(approved.token, 'prm_verify_test_x'), 401, 'unauthorized');
    const token = await introspect(approved.token, t.owner.token);
    expectRefusal(token, 403, 'forbidden', { required: 'permits:verify' });
  });

  it('if its body has another media type', async () => {
    const json = JSON.stringify({ token: approved.token });
    for (const type of ['application/json', 'text/plain', 'multipart/form-data; boundary=x', `${FORM}x`]) {
      expectRefusal(await post(json, t.first.verifier_key, type), 415, 'unsupported_media_type');
    }
    const latin = await post(`token=${approved.token}`, t.first.verifier_key, `${FORM}; charset=latin1`);
    expectRefusal(latin, 415, 'unsupported_media_type');
    const utf8 = await post(`token=${approved.token}`, t.first.verifier_key, `${FORM}; charset=UTF-8`);
    expect(utf8.body.active).toBe(true);
    const packed = await t.call('POST', PATH, {
      key: t.first.verifier_key,
      body: 'token=x',
      headers: { 'content-type': FORM, 'content-encoding': 'gzip' },
    });
    expectRefusal(packed, 415, 'unsupported_media_type');
  });

  it('if it sends its form to another route', async () => {
    const answer = await t.call('POST', '/v1/permits/validate', {
      key: t.first.verifier_key,
      body: `token=${approved.token}`,
      headers: { 'content-type': FORM },
    });
    expectRefusal(answer, 415, 'unsupported_media_type');
  });

  it('if its token is missing or empty, or there is no body', async () => {
    for (const body of ['', 'token=', 'token', 'token_type_hint=x']) {
      expectFields(await post(body), 'invalid_request', '/token');
    }
    const bare = await t.call('POST', PATH, { key: t.first.verifier_key });
    expectFields(bare, 'invalid_request', '/token');
  });

  it('if a parameter is repeated, even under an escaped name, or has no meaning here', async () => {
    const { token } = approved;
    const form = `token=${token}`;
    for (const body of [`${form}&token=x`, `token=x&${form}`, `${form}&t%6fken=x`, `${form}&token=`]) {
      expectFields(await post(body), 'invalid_request', '/token');
    }
    expectFields(
      await post(`${form}&token_type_hint=a&token_type_hint=a`),
      'invalid_request',
      '/token_type_hint',
    );
    // A client that sends the action expects it to be compared.
    expectFields(await post(`${form}&action=payments.refund`), 'invalid_request', '/action');
    expectFields(await post(`${form}&__proto__=x`), 'invalid_request', '/__proto__');
  });

  it('if its body is not a valid form, or is too large', async () => {
    for (const body of ['token=%', 'token=%zz', 'token=%ff', 'token=a b', 'token=ä', 'a=1&'.repeat(40)]) {
      expectRefusal(await post(body), 400, 'invalid_request', { fields: expect.any(Array) });
    }
    const huge = await post(`token=${'a'.repeat(300_000)}`);
    expectRefusal(huge, 413, 'payload_too_large');
  });

  it('if it is a GET', async () => {
    expectRefusal(await t.call('GET', PATH, { key: t.first.verifier_key }), 404, 'not_found');
  });
});

it('introspection counts against the second rate limit of the project, not that of the eight operations', async () => {
  const first = await introspect(approved.token);
  const second = await introspect(approved.token);
  const left = ({ headers }: typeof first) => Number(headers['x-ratelimit-remaining']);
  expect(left(first) - left(second)).toBe(1);
  const core = await t.call('POST', '/v1/permits/validate', {
    key: t.first.verifier_key,
    body: { token: approved.token },
  });
  expect(left(core)).toBe(9_999);
});

it('introspection leaves nothing of the token in the log', async () => {
  await introspect(approved.token);
  await introspect(`${approved.token}x`);
  expect(t.log()).not.toContain(approved.token.split('.')[1]);
});
