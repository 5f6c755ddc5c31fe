/** A person leaves, and everything that names them is erased; everybody else, and every hash, stays. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { verifyAudit } from '../../src/gate/audit/verify-audit.ts';
import { decideIntent } from '../../src/gate/intents/decide.ts';
import { readIntent } from '../../src/gate/intents/read.ts';
import { submitIntent } from '../../src/gate/intents/submit.ts';
import { withdrawIntent } from '../../src/gate/intents/withdraw.ts';
import { verifyPermit } from '../../src/gate/permits/verify.ts';
import { putPolicy } from '../../src/gate/policy-management/put-policy.ts';
import { createProject } from '../../src/gate/projects/create-project.ts';
import { erasePerson } from '../../src/people/erase-person.ts';
import { createInvitation } from '../../src/people/invitations/create-invitation.ts';
import { addMember } from '../../src/people/members/add-member.ts';
import { removeMember } from '../../src/people/members/remove-member.ts';
import { ON_SQLITE, openTestGate, type Person, type TestGate } from '../fixtures/open-test-gate.ts';
import { refusalOf } from '../fixtures/refusal-of.ts';
import { ACTION, approvedAbout, asked } from './asked-and-approved.ts';
import { tracesOf } from './traces.ts';

const ANN = 'ann.zwetschge@example.org';
const LOOKALIKE = 'joann.zwetschge@example.org';
const CUSTOMER = 'Zenobia Quirrenbach';
const CUSTOMER_ADDRESS = 'zenobia.quirrenbach@example.org';

let t: TestGate;
let ann: Person;
beforeEach(async () => {
  t = await openTestGate();
  ann = await t.addPerson(ANN, 'admin');
});
afterEach(() => t.close());

function erase(person: string) {
  return erasePerson(t.gate, t.owner.caller, { projectId: t.projectId, person });
}

async function leave(): Promise<void> {
  await removeMember(t.gate, t.operator, { projectId: t.projectId, userId: ann.userId });
}

async function usedUpApproval(): Promise<string> {
  const { id, token, params } = await approvedAbout(t, CUSTOMER, ann.caller);
  await verifyPermit(t.gate, t.verifier, { token, action: ACTION, params, consume: true });
  return id;
}

async function isValid(): Promise<boolean> {
  return (await verifyAudit(t.gate, t.owner.caller, t.projectId)).valid;
}

describe('erasing a person who signed in, invited and was invited', () => {
  it('leaves nothing to sign in with, and no address in the invitations', async () => {
    const { gate, projectId } = t;
    await gate.storage.transaction(async (tx) => {
      const { userId } = ann;
      await tx.savePassword({ userId, hash: 'not to be kept', changedAt: t.clock.now() });
      await tx.insertIdentity({
        id: 'idn_1',
        userId,
        provider: 'example',
        issuer: 'https://id.example',
        subject: '42',
        display: ANN,
        createdAt: t.clock.now(),
        lastUsedAt: t.clock.now(),
      });
    });
    await createInvitation(gate, ann.caller, { projectId, email: CUSTOMER_ADDRESS, role: 'viewer' });
    await leave();
    await createInvitation(gate, t.owner.caller, { projectId, email: ANN, role: 'viewer' });
    await erase(ANN);
    await erase(CUSTOMER_ADDRESS);
    expect(await gate.storage.read.findPassword(ann.userId)).toBeUndefined();
    expect(await gate.storage.read.listIdentities(ann.userId)).toEqual([]);
    expect([...tracesOf(t.dataDir, ANN), ...tracesOf(t.dataDir, CUSTOMER_ADDRESS)]).toEqual([]);
    expect(await isValid()).toBe(true);
  });

  it('forgets the IP address they had signed in from', async () => {
    const limits = t.gate.signInLimits;
    await limits.welcome(ANN, '192.0.2.9');
    await leave();
    await erase(ANN);
    const address = (n: number) => `198.51.100.${n}`;
    for (let n = 0; n < 20; n += 1) await limits.begin(ANN, address(n));
    await expect(limits.begin(ANN, '192.0.2.9')).rejects.toThrow('Too many attempts');
  });
});

describe('erasing a person who approved, requested, managed and left', () => {
  it.runIf(ON_SQLITE)('leaves their name in no file', async () => {
    await usedUpApproval();
    const service = await t.addService(ANN, 'laptop of Annegret');
    const own = await submitIntent(t.gate, service.caller, {
      action: ACTION,
      params: {},
      source: `job of ${ANN}`,
    });
    await withdrawIntent(t.gate, service.caller, own.intent.id);
    await asked(t, CUSTOMER, [ANN]).then(({ id }) => withdrawIntent(t.gate, t.agent, id));
    const document = { name: 'hers', default: { approvers: ['role:approver'], min_approvals: 1 }, rules: [] };
    await putPolicy(t.gate, ann.caller, { projectId: t.projectId, document });
    await leave();
    expect(tracesOf(t.dataDir, ANN)).not.toEqual([]);

    const erased = await erase(ANN);
    expect(erased).toMatchObject({ intents: 3, answers: 0, remainingIntents: 0, remainingPolicies: 0 });
    expect(erased.records).toBeGreaterThan(5);
    expect([...tracesOf(t.dataDir, ANN), ...tracesOf(t.dataDir, 'Annegret')]).toEqual([]);
    expect(await isValid()).toBe(true);
  });

  it('replaces their name with an ID in requests and decisions, which stay', async () => {
    const id = await usedUpApproval();
    await leave();
    await erase(ANN);
    const { intent, receipt } = await readIntent(t.gate, t.agent, id);
    expect(intent).toMatchObject({
      params: { to: CUSTOMER },
      approvedBy: ann.userId,
      resolvedBy: ann.userId,
      approvals: [{ by: ann.userId, method: 'token' }],
      erasedAt: t.clock.now(),
    });
    expect(receipt).toBeNull();
    const [approved] = await t.events(t.projectId, 'intent.approved');
    expect(approved?.actor).toEqual({ type: 'user', id: ann.userId, display: null });
    const [told] = await t.events(t.projectId, 'text.erased');
    expect(told).toMatchObject({
      actor: { id: t.owner.userId },
      intentId: null,
      data: { subject: 'person', person_id: ann.userId, older_than: null },
    });
  });

  it('finds them by ID, and by address in any spelling', async () => {
    const id = await usedUpApproval();
    await leave();
    await erase(ann.userId);
    expect((await readIntent(t.gate, t.agent, id)).intent.approvedBy).toBe(ann.userId);
    // The user is erased too: no user has both that ID and an address.
    expect(await refusalOf(erase(ann.userId))).toMatchObject({ code: 'not_found' });
    expect(await erase(` ${ANN.toUpperCase()} `)).toMatchObject({ intents: 0, records: 0 });
    const again = await addMember(t.gate, t.operator, { projectId: t.projectId, email: ANN, role: 'viewer' });
    expect(again.userId).not.toBe(ann.userId);
  });

  it('keeps their account if they are a member of another project', async () => {
    await createProject(t.gate, t.operator, { name: 'Another', mode: 'live', ownerEmail: ANN });
    await leave();
    await erase(ANN);
    expect(await t.gate.storage.read.findUserByEmail(ANN)).toMatchObject({ id: ann.userId });
  });
});

describe('erasing a person whom requests mention', () => {
  it.runIf(ON_SQLITE)('removes all texts of those requests, and none of other requests', async () => {
    const about = await asked(t, `Ms Zwetschge <${ANN.toUpperCase()}>`);
    const other = await asked(t, LOOKALIKE);
    const { id } = await t.gate.storage.read.findIntent(about.id).then((found) => found ?? { id: '' });
    for (const intentId of [id, other.id]) await withdrawIntent(t.gate, t.agent, intentId);
    await leave();
    expect(await erase(ANN)).toMatchObject({ intents: 1 });
    const shown = await Promise.all([id, other.id].map((intentId) => readIntent(t.gate, t.agent, intentId)));
    expect(shown.map(({ intent }) => intent.params)).toEqual([{}, other.params]);
    expect(tracesOf(t.dataDir, LOOKALIKE)).not.toEqual([]);
    expect(await isValid()).toBe(true);
  });

  it('covers every page of a long history', async () => {
    const ids: string[] = [];
    for (let at = 0; at < 30; at += 1) {
      const { id } = await asked(t, at % 3 === 0 ? 'zed@example.net' : `someone-${at}@example.net`);
      await decideIntent(t.gate, t.secret, { intentId: id, decision: 'deny', reason: 'no' });
      if (at % 3 === 0) ids.push(id);
    }
    expect(await erase('zed@example.net')).toMatchObject({ intents: ids.length });
    for (const id of ids) expect((await readIntent(t.gate, t.agent, id)).intent.params).toEqual({});
    expect(tracesOf(t.dataDir, 'zed@example.net')).toEqual([]);
  });
});

describe('erasing a person', () => {
  it('counts the open intents and the policies that still name them', async () => {
    const pending = await asked(t, CUSTOMER, [ANN]);
    const { id } = await approvedAbout(t, CUSTOMER, ann.caller);
    const rules = [
      {
        name: 'hers',
        match: { action: 'x' },
        effect: 'require_approval',
        require: [{ from: [ANN], count: 1 }],
      },
    ];
    const document = { name: 'p', default: { approvers: ['role:approver'], min_approvals: 1 }, rules };
    await putPolicy(t.gate, t.owner.caller, { projectId: t.projectId, document });
    await leave();
    expect(await erase(ANN)).toMatchObject({ intents: 0, remainingIntents: 2, remainingPolicies: 1 });
    expect((await readIntent(t.gate, t.agent, pending.id)).intent.approvers).toEqual([ANN]);
    t.clock.advance(3601);
    await readIntent(t.gate, t.agent, pending.id);
    expect(await erase(ANN)).toMatchObject({ intents: 2, remainingIntents: 0, remainingPolicies: 1 });
    expect((await readIntent(t.gate, t.agent, id)).intent.approvedBy).not.toBe(ANN);
  });
});

describe('erasing a person is refused', () => {
  it('while they are a member, because their name would keep appearing', async () => {
    await usedUpApproval();
    const before = tracesOf(t.dataDir, ANN);
    for (const person of [ANN, ann.userId]) {
      expect(await refusalOf(erase(person))).toMatchObject({ code: 'conflict' });
    }
    expect(tracesOf(t.dataDir, ANN)).toEqual(before);
    expect(await t.events(t.projectId, 'text.erased')).toEqual([]);
  });

  it('for a text that is not an address, and for an unknown ID', async () => {
    for (const person of ['', 'ann', '@', 'a@b c', '%', 'x'.repeat(300)]) {
      expect(await refusalOf(erase(person))).toMatchObject({ code: 'invalid_fields' });
    }
    expect(await refusalOf(erase('usr_01hzzzzzzzzzzzzzzzzzzzzzzz'))).toMatchObject({ code: 'not_found' });
  });
});

it.runIf(ON_SQLITE)('erasing a person leaves another project unchanged', async () => {
  const { project } = await createProject(t.gate, t.operator, {
    name: 'Another',
    mode: 'test',
    ownerEmail: 'x@example.org',
  });
  await asked(t, 'zed@example.net').then(({ id }) => withdrawIntent(t.gate, t.agent, id));
  const before = await t.events(t.projectId);
  await erasePerson(t.gate, t.operator, { projectId: project.id, person: 'zed@example.net' });
  expect(await t.events(t.projectId)).toEqual(before);
  expect(tracesOf(t.dataDir, 'zed@example.net')).not.toEqual([]);
});
