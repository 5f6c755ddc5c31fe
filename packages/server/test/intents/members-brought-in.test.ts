/**
 * In live mode a program with a person's token cannot make itself an approver, neither through members that it adds nor
 * through their keys.
 */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Caller } from '../../src/gate/access/caller.ts';
import { decideIntent } from '../../src/gate/intents/decide.ts';
import { submitIntent } from '../../src/gate/intents/submit.ts';
import { createKey } from '../../src/people/keys/create-key.ts';
import { addMember } from '../../src/people/members/add-member.ts';
import { leaveProject } from '../../src/people/members/leave-project.ts';
import { shownHash } from '../fixtures/as-shown.ts';
import { broughtIn } from '../fixtures/brought-in.ts';
import { openTestGate, type Person, type TestGate } from '../fixtures/open-test-gate.ts';
import { refusalOf } from '../fixtures/refusal-of.ts';

let t: TestGate;
let ann: Person;
/** A member whom Ann's program added, signed in as if present. */
let puppet: Caller;
let another: Caller;
beforeEach(async () => {
  t = await openTestGate({ mode: 'live' });
  ann = await t.addPerson('ann@example.org', 'admin');
  puppet = await (await broughtIn(t, [ann], 'puppet@example.org', 'admin')).caller();
  another = await (await broughtIn(t, [ann], 'another@example.org', 'approver')).caller();
});
afterEach(() => t.close());

async function asked(kind: 'agent' | 'secret', maker: Caller): Promise<string> {
  const { key } = await createKey(t.gate, maker, {
    projectId: t.projectId,
    kind,
    name: 'made by the puppet',
    ...(kind === 'agent' ? { agentId: t.agentId } : {}),
  });
  const caller = await t.callerOf(key);
  const { intent } = await submitIntent(t.gate, caller, { action: 'payments.refund', params: { amount: 5 } });
  return intent.id;
}

const approve = async (caller: Caller, intentId: string) =>
  decideIntent(t.gate, caller, { intentId, decision: 'approve', ...(await shownTo(caller, intentId)) });

const shownTo = async (caller: Caller, intentId: string) =>
  caller.kind === 'session' ? { intentHash: await shownHash(t.gate, intentId) } : {};

async function expectRefused(caller: Caller, intentId: string, required: string): Promise<void> {
  expect(await refusalOf(approve(caller, intentId))).toMatchObject({
    code: 'forbidden',
    details: { required },
  });
  expect((await t.gate.storage.read.findIntent(intentId))?.status).toBe('pending');
}

describe.each(['agent', 'secret'] as const)(
  'a request with a key (%s) of a member whom a program added',
  (kind) => {
    it('cannot be approved by that member, by another such member or by the program', async () => {
      const intentId = await asked(kind, puppet);
      for (const caller of [puppet, another]) await expectRefused(caller, intentId, 'separation_of_duties');
      await expectRefused(ann.caller, intentId, 'person');
    });

    it('can be approved by the person behind the program and by an unrelated person, while present', async () => {
      for (const caller of [await ann.present(), await t.owner.present()]) {
        const { intent } = await approve(caller, await asked(kind, puppet));
        expect(intent.status).toBe('approved');
      }
    });
  },
);

it('a request with the key of a member whom a program added cannot be approved by another such member, even after the first has left', async () => {
  const intentId = await asked('agent', puppet);
  if (puppet.kind === 'session') await leaveProject(t.gate, puppet, { projectId: t.projectId });
  await expectRefused(another, intentId, 'separation_of_duties');
});

it('a program with a person’s token can neither add members nor create keys', async () => {
  const adding = addMember(t.gate, ann.caller, {
    projectId: t.projectId,
    email: 'more@example.org',
    role: 'viewer',
  });
  expect(await refusalOf(adding)).toMatchObject({
    code: 'forbidden',
    details: { required: 'members:write' },
  });
  expect(await t.gate.storage.read.findUserByEmail('more@example.org')).toBeUndefined();
  expect(await refusalOf(asked('secret', ann.caller))).toMatchObject({
    code: 'forbidden',
    details: { required: 'keys:write' },
  });
});

it('a person whom no program added can approve, while present, requests sent with their own keys', async () => {
  const bob = await t.addPerson('bob@example.org', 'admin');
  const bobPresent = await bob.present();
  for (const kind of ['agent', 'secret'] as const) {
    expect((await approve(bobPresent, await asked(kind, bobPresent))).intent.status).toBe('approved');
  }
});
