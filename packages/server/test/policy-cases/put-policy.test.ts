import type { JsonObject } from '@permitry/protocol';
import { hashJson } from '@permitry/protocol';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { SessionCaller } from '../../src/gate/access/caller.ts';
import { submitIntent } from '../../src/gate/intents/submit.ts';
import { DEFAULT_POLICY } from '../../src/gate/policy/default-policy.ts';
import { putPolicy } from '../../src/gate/policy-management/put-policy.ts';
import { getPolicy, listPolicyVersions } from '../../src/gate/policy-management/read-policy.ts';
import { createProject } from '../../src/gate/projects/create-project.ts';
import { OPERATOR, openTestGate, type TestGate } from '../fixtures/open-test-gate.ts';
import { refusalOf } from '../fixtures/refusal-of.ts';

let t: TestGate;
let owner: SessionCaller;
beforeEach(async () => {
  t = await openTestGate({ mode: 'live' });
  owner = await t.owner.present();
});
afterEach(() => t.close());

/** A policy that denies the action, so that documents differ. */
function denying(action: string): JsonObject {
  return { ...DEFAULT_POLICY, rules: [{ name: 'no', match: { action }, effect: 'deny' }] };
}

function put(document: JsonObject, ifMatch?: string) {
  const input = { projectId: t.projectId, document, ...(ifMatch === undefined ? {} : { ifMatch }) };
  return putPolicy(t.gate, owner, input);
}

const inForce = () => getPolicy(t.gate, owner, { projectId: t.projectId });
const updates = () => t.events(t.projectId, 'policy.updated');

describe('publishing a policy', () => {
  test('makes a version that is active for the next request, and the audit log names the old and the new version', async () => {
    const before = await inForce();
    const revision = (await t.project()).revision;
    const { policy, warnings } = await put(denying('mail.send'));
    expect(policy).toEqual({
      projectId: t.projectId,
      version: 2,
      hash: hashJson(denying('mail.send')),
      document: denying('mail.send'),
      createdAt: t.clock.now(),
      createdBy: t.owner.email,
    });
    expect(warnings).toEqual([]);
    expect(await inForce()).toEqual(policy);
    expect((await t.project()).revision).toBeGreaterThan(revision);
    expect(await updates()).toMatchObject([
      {
        actor: { type: 'user', id: t.owner.userId },
        data: { version: 2, hash: policy.hash, previous_hash: before.hash },
      },
    ]);
    const { intent } = await submitIntent(t.gate, t.agent, { action: 'mail.send', params: {} });
    expect(intent).toMatchObject({ decision: 'auto_deny', policyHash: policy.hash });
  });

  test('returns the active version unchanged if the document is the same', async () => {
    const { policy } = await put(denying('a'));
    expect((await put(denying('a'))).policy).toEqual(policy);
    expect(await updates()).toHaveLength(1);
  });

  test('is refused if the change is based on a version that is not active, and changes nothing', async () => {
    const { hash } = await inForce();
    const first = await put(denying('a'), hash);
    const refusal = await refusalOf(put(denying('b'), hash));
    expect(refusal.code).toBe('precondition_failed');
    expect(await inForce()).toEqual(first.policy);
    expect(await updates()).toHaveLength(1);
  });

  test('ten times at once makes ten consecutive versions', async () => {
    const actions = Array.from({ length: 10 }, (_, index) => `a${index}`);
    const stored = await Promise.all(actions.map((action) => put(denying(action))));
    expect(stored.map(({ policy }) => policy.version).toSorted((a, b) => a - b)).toEqual([
      2, 3, 4, 5, 6, 7, 8, 9, 10, 11,
    ]);
    const hashes: string[] = [hashJson(DEFAULT_POLICY)];
    for (const { data } of await updates()) {
      expect(data.previous_hash).toBe(hashes.at(-1));
      hashes.push(String(data.hash));
    }
    expect(hashes).toHaveLength(11);
  });

  test('ten times from the same version succeeds only once', async () => {
    const { hash } = await inForce();
    const actions = Array.from({ length: 10 }, (_, index) => `a${index}`);
    const settled = await Promise.allSettled(actions.map((action) => put(denying(action), hash)));
    expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const result of settled) {
      if (result.status === 'rejected') expect(result.reason.code).toBe('precondition_failed');
    }
    expect((await inForce()).version).toBe(2);
    expect(await updates()).toHaveLength(1);
  });

  test('of a document with mistakes is refused with their places, and changes nothing', async () => {
    const refusal = await refusalOf(
      put({ ...denying('a'), rules: [{ name: 'x', effect: 'deny', when: 'parms' }] }),
    );
    expect(refusal).toMatchObject({
      code: 'invalid_fields',
      details: { fields: [{ path: '/rules/0/when', message: 'line 1, column 1: Unknown variable: parms' }] },
    });
    expect((await inForce()).version).toBe(1);
    expect(await updates()).toEqual([]);
  });
});

describe('permission to publish', () => {
  test.each(['agent', 'verifier', 'secret'] as const)(
    'is refused to the %s key of a live project',
    async (kind) => {
      const input = { projectId: t.projectId, document: denying('a') };
      const refusal = await refusalOf(putPolicy(t.gate, t[kind], input));
      expect(refusal).toMatchObject({ code: 'forbidden', details: { required: 'policies:write' } });
      expect((await inForce()).version).toBe(1);
    },
  );

  test('is refused to a person’s token, and to an approver who is present', async () => {
    const approver = await t.addPerson('ann@example.org', 'approver');
    const reader = await t.addPerson('bob@example.org', 'admin', ['decide']);
    const tokens = [approver, reader, t.owner].map(({ caller }) => caller);
    for (const caller of [...tokens, await approver.present()]) {
      const input = { projectId: t.projectId, document: denying('a') };
      expect((await refusalOf(putPolicy(t.gate, caller, input))).code).toBe('forbidden');
      expect((await getPolicy(t.gate, caller, { projectId: t.projectId })).version).toBe(1);
    }
  });

  test('is refused to anyone of another project, for whom it does not exist', async () => {
    const { project } = await createProject(t.gate, OPERATOR, {
      name: 'Other',
      mode: 'live',
      ownerEmail: 'other@example.org',
    });
    const elsewhere = { projectId: project.id, document: denying('a') };
    expect((await refusalOf(putPolicy(t.gate, owner, elsewhere))).code).toBe('project_not_found');
    expect((await refusalOf(getPolicy(t.gate, owner, elsewhere))).code).toBe('project_not_found');
    expect((await refusalOf(listPolicyVersions(t.gate, owner, elsewhere))).code).toBe('project_not_found');
  });
});

test('versions are listed newest first, page by page', async () => {
  for (const action of ['a', 'b', 'c', 'd']) await put(denying(action));
  const page = (cursor?: string | null) =>
    listPolicyVersions(t.gate, owner, {
      projectId: t.projectId,
      limit: 2,
      ...(cursor ? { cursor } : {}),
    });
  const first = await page();
  await put(denying('e'));
  const second = await page(first.nextCursor);
  const third = await page(second.nextCursor);
  expect([first, second, third].map(({ items }) => items.map(({ version }) => version))).toEqual([
    [5, 4],
    [3, 2],
    [1],
  ]);
  expect(third.nextCursor).toBeNull();
  expect((await refusalOf(page('x'))).code).toBe('invalid_fields');
});
