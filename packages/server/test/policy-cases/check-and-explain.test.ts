import type { JsonObject } from '@permitry/protocol';
import { hashJson } from '@permitry/protocol';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DEFAULT_POLICY } from '../../src/gate/policy/default-policy.ts';
import { createProject } from '../../src/gate/projects/create-project.ts';
import { OPERATOR, type Person } from '../fixtures/open-test-gate.ts';
import { openTestApp, type TestApp } from '../http/open-test-app.ts';
import { expectFields, expectRefusal } from '../surfaces/expect-refusal.ts';

let t: TestApp;
let viewer: Person;
/** A person whose role may change the policy, with a token that only reads. */
let reader: Person;
let base: string;
beforeAll(async () => {
  t = await openTestApp({ mode: 'live', logLevel: 'silent' });
  viewer = await t.addPerson('viewer@example.org', 'viewer', []);
  reader = await t.addPerson('reader@example.org', 'admin', []);
  base = `/v1/projects/${t.projectId}/policies`;
});
afterAll(() => t.close());

const BIG: JsonObject = {
  ...DEFAULT_POLICY,
  rules: [
    { name: 'small', match: { action: 'pay' }, when: 'params.amount < 100', effect: 'allow' },
    { name: 'big', match: { action: 'pay' }, when: 'params.amount >= 100', effect: 'require_approval' },
    { name: 'never', match: { action: 'drop*' }, effect: 'deny', reason: 'No.' },
  ],
};

describe('checking a policy', () => {
  const check = (policy: unknown, key = reader.token) =>
    t.call('POST', `${base}/check`, { key, body: { policy } });

  test('accepts a valid document, and returns its hash and warnings', async () => {
    const everything = {
      ...DEFAULT_POLICY,
      rules: [{ name: 'all', match: { action: '*' }, effect: 'allow' }],
    };
    expect((await check(BIG)).body).toEqual({ valid: true, hash: hashJson(BIG), problems: [], warnings: [] });
    expect((await check(everything)).body).toEqual({
      valid: true,
      hash: hashJson(everything),
      problems: [],
      warnings: [{ path: '/rules/0', message: 'This rule allows every action.', place: null }],
    });
  });

  test('names every problem with its path, and its place in the expression', async () => {
    const when = "params.a == 1 &&\n  parms.b == 'x'";
    const { status, body } = await check({
      ...DEFAULT_POLICY,
      rules: [
        { name: 'x', when, effect: 'deny' },
        { name: 'x', when: 'true', effect: 'deny' },
      ],
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({ valid: false, hash: null, warnings: [] });
    expect(body.problems).toEqual([
      { path: '/rules/0/when', message: 'Unknown variable: parms', place: { line: 2, column: 3 } },
      { path: '/rules/1/name', message: 'Another rule is named "x".', place: null },
    ]);
    expect((await check({ name: 'p' })).body).toMatchObject({
      valid: false,
      problems: [{ path: '/default' }, { path: '/rules' }],
    });
  });

  test('reports an unknown name in each place where it occurs', async () => {
    const document = {
      ...DEFAULT_POLICY,
      default: { approvers: ['role:owner', 'treasury'] },
      rules: [
        {
          name: 'x',
          match: { action: 'a' },
          effect: 'require_approval',
          require: [{ from: ['role:owner', 'treasury'], count: 1 }],
        },
      ],
    };
    const { body } = await check(document);
    expect(body).toMatchObject({ valid: false, hash: null });
    expect(body.problems).toEqual(
      ['/default/approvers/1', '/rules/0/require/0/from/1'].map((path) => ({
        path,
        message: 'No member, group or role of this project is named treasury.',
        place: null,
      })),
    );
  });

  test('changes and records nothing, accepts only an object as body, and is refused without the permission', async () => {
    const before = [await t.events(t.projectId), await t.project()];
    await check(BIG);
    expect([await t.events(t.projectId), await t.project()]).toEqual(before);
    expectFields(await check('x'), 'invalid_request', '/policy');
    expectFields(
      await t.call('POST', `${base}/check`, { key: reader.token, body: {} }),
      'invalid_request',
      '/policy',
    );
    for (const key of [t.first.agent_key, viewer.token]) {
      expectRefusal(await check(BIG, key), 403, 'forbidden', { required: 'policies:simulate' });
    }
    const { project } = await createProject(t.gate, OPERATOR, {
      name: 'Other',
      mode: 'live',
      ownerEmail: 'other@example.org',
    });
    const elsewhere = `/v1/projects/${project.id}/policies/check`;
    const answer = await t.call('POST', elsewhere, { key: reader.token, body: { policy: BIG } });
    expectRefusal(answer, 404, 'project_not_found');
  });
});

describe('explaining a policy', () => {
  const explain = (body: object, key = t.owner.token) => t.call('POST', `${base}/explain`, { key, body });

  test('works for a hypothetical intent, under a draft', async () => {
    const { status, body } = await explain({
      policy: BIG,
      intent: { action: 'pay', params: { amount: 250 }, source: 'billing' },
    });
    expect(status).toBe(200);
    expect(body).toEqual({
      policy_hash: hashJson(BIG),
      request: {
        action: 'pay',
        params: { amount: 250 },
        metadata: {},
        source: 'billing',
        source_type: 'service',
        risk_tier: 'low',
        proof_tier: 'none',
        agent: null,
        at: t.clock.now(),
      },
      outcome: expect.objectContaining({ effect: 'require_approval', rule: 'big' }),
      rules: [
        {
          rule: 'small',
          effect: 'allow',
          verdict: 'not_matched',
          because: 'condition',
          failure: null,
          part: 'nothing',
        },
        {
          rule: 'big',
          effect: 'require_approval',
          verdict: 'matched',
          because: null,
          failure: null,
          part: 'decides',
        },
        {
          rule: 'never',
          effect: 'deny',
          verdict: 'not_matched',
          because: 'action',
          failure: null,
          part: 'nothing',
        },
      ],
      person_for: null,
    });
    const failed = await explain({ policy: BIG, intent: { action: 'pay' } });
    expect(failed.body).toMatchObject({
      outcome: { effect: 'require_approval', rule: 'big', failed_conditions: ['big', 'small'] },
      rules: [
        { verdict: 'failed', failure: '"params.amount" is absent', part: 'nothing' },
        { verdict: 'failed', part: 'decides' },
        { verdict: 'not_matched' },
      ],
    });
  });

  test('works for a stored intent as it was when it was created, under the active policy', async () => {
    const madeAt = t.clock.now();
    const made = await t.call('POST', '/v1/intents', {
      key: t.first.agent_key,
      body: { action: 'pay', params: { amount: 7 }, metadata: { ticket: 'T-1' } },
    });
    t.clock.advance(60);
    const { body } = await explain({ intent_id: made.body.id });
    expect(body).toMatchObject({
      request: {
        params: { amount: 7 },
        metadata: { ticket: 'T-1' },
        agent: { id: t.agentId },
        at: madeAt,
      },
      outcome: { effect: 'require_approval', rule: null },
      rules: [],
    });
    expect((await explain({ policy: BIG, intent_id: made.body.id })).body).toMatchObject({
      outcome: { effect: 'allow', rule: 'small' },
    });
  });

  test('requires exactly one subject, valid and of this project', async () => {
    const intent = { action: 'pay' };
    expectFields(await explain({}), 'invalid_request', '');
    expectFields(await explain({ intent, intent_id: 'int_x' }), 'invalid_request', '');
    const mistake = { ...BIG, rules: [{ name: 'x', when: 'parms', effect: 'deny' }] };
    expectFields(await explain({ policy: mistake, intent }), 'invalid_request', '/policy/rules/0/when');
    const nobody = 'agt_01hzzzzzzzzzzzzzzzzzzzzzzz';
    expectFields(
      await explain({ intent: { ...intent, agent_id: nobody } }),
      'invalid_request',
      '/intent/agent_id',
    );
    expectRefusal(await explain({ intent_id: 'int_01hzzzzzzzzzzzzzzzzzzzzzzz' }), 404, 'intent_not_found');
    expectRefusal(await explain({ intent }, viewer.token), 403, 'forbidden', {
      required: 'policies:simulate',
    });
  });
});
