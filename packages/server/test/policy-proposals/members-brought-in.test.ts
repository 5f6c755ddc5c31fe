/**
 * A program that holds an owner's token cannot act as two people: neither propose and approve itself, nor create both
 * people.
 */
import type { JsonObject } from '@permitry/protocol';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Caller } from '../../src/gate/access/caller.ts';
import { requireSecondPerson } from '../../src/gate/four-eyes/require-second-person.ts';
import { DEFAULT_POLICY } from '../../src/gate/policy/default-policy.ts';
import { approveProposal } from '../../src/gate/policy-management/proposals/approve-proposal.ts';
import { proposePolicy } from '../../src/gate/policy-management/proposals/propose-policy.ts';
import { broughtIn } from '../fixtures/brought-in.ts';
import { OPERATOR, openTestGate, type Person, type TestGate } from '../fixtures/open-test-gate.ts';
import { refusalOf } from '../fixtures/refusal-of.ts';

const ALLOWING: JsonObject = {
  ...DEFAULT_POLICY,
  rules: [{ name: 'anything', match: { action: '*' }, effect: 'allow' }],
};

let t: TestGate;
let admin: Person;
beforeEach(async () => {
  t = await openTestGate({ mode: 'live' });
  admin = await t.addPerson('admin@example.org', 'admin');
  await requireSecondPerson(t.gate, OPERATOR, { projectId: t.projectId, required: true });
});
afterEach(() => t.close());

/** An admin whom the owner's program added, signed in as a person present. */
const brought = async (email: string): Promise<Caller> =>
  (await broughtIn(t, [t.owner], email, 'admin')).caller();

async function approvedBy(approver: Caller, proposer: Caller): Promise<unknown> {
  const input = { projectId: t.projectId, document: ALLOWING };
  const { proposal } = await proposePolicy(t.gate, proposer, input);
  return approveProposal(t.gate, approver, { projectId: t.projectId, proposalId: proposal.id });
}

async function expectRefused(approver: Caller, proposer: Caller): Promise<void> {
  const refusal = await refusalOf(approvedBy(approver, proposer));
  expect(refusal).toMatchObject({ code: 'forbidden', details: { required: 'second_person' } });
  expect((await t.gate.storage.read.findPolicy(t.projectId))?.version).toBe(1);
}

it('a program proposes and approves nothing, not even proposals of members it brought in', async () => {
  for (const [approver, proposer] of [
    [t.owner.caller, await brought('puppet@example.org')],
    [await t.owner.present(), t.owner.caller],
  ] as const) {
    expect(await refusalOf(approvedBy(approver, proposer))).toMatchObject({
      code: 'forbidden',
      details: { required: 'policies:write' },
    });
  }
  expect((await t.gate.storage.read.findPolicy(t.projectId))?.version).toBe(1);
});

it('no member it brought in can approve the proposal of another one', async () => {
  await expectRefused(await brought('one@example.org'), await brought('other@example.org'));
});

it('the owner can while present, as a second person', async () => {
  const approved = await approvedBy(await t.owner.present(), await brought('colleague@example.org'));
  expect(approved).toMatchObject({ status: 'approved', version: 2 });
});

it("and so can a person whom none of the owner's programs brought in", async () => {
  const approved = await approvedBy(await admin.present(), await brought('colleague@example.org'));
  expect(approved).toMatchObject({ status: 'approved', version: 2 });
});
