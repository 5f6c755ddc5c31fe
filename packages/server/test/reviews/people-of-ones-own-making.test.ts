/** In live mode a program with a person's token makes itself no approver: neither by whom it brings in, nor by their keys. */
import type { Role } from '@permitry/protocol';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Caller } from '../../src/gate/access/caller.ts';
import { decideIntent } from '../../src/gate/intents/decide.ts';
import { submitIntent } from '../../src/gate/intents/submit.ts';
import { createKey } from '../../src/identity/keys/create-key.ts';
import { addMember } from '../../src/identity/members/add-member.ts';
import { leaveProject } from '../../src/identity/members/leave-project.ts';
import { openTestGate, type Person, type TestGate } from '../fixtures/open-test-gate.ts';
import { refusalOf } from '../fixtures/refusal-of.ts';
import { signedIn } from '../fixtures/signed-in.ts';

let t: TestGate;
let ann: Person;
/** Whom Ann's program made a member; signed in as somebody present. */
let puppet: Caller;
let another: Caller;
beforeEach(async () => {
  t = await openTestGate({ mode: 'live' });
  ann = await t.addPerson('ann@example.org', 'admin');
  puppet = await broughtIn('puppet@example.org', 'admin');
  another = await broughtIn('another@example.org', 'approver');
});
afterEach(() => t.close());

const present = async (userId: string) => (await signedIn(t.gate, userId)).caller();

async function broughtIn(email: string, role: Role): Promise<Caller> {
  return present((await addMember(t.gate, ann.caller, { projectId: t.projectId, email, role })).userId);
}

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

const approve = (caller: Caller, intentId: string) =>
  decideIntent(t.gate, caller, { intentId, decision: 'approve' });

async function expectOwnRequest(caller: Caller, intentId: string): Promise<void> {
  expect(await refusalOf(approve(caller, intentId))).toMatchObject({
    code: 'forbidden',
    details: { required: 'separation_of_duties' },
  });
  expect((await t.gate.storage.read.findIntent(intentId))?.status).toBe('pending');
}

describe.each(['agent', 'secret'] as const)('with a key (%s) that the puppet made, present', (kind) => {
  it('the puppet does not approve, nor another, nor the program itself', async () => {
    const intentId = await asked(kind, puppet);
    for (const caller of [puppet, another, ann.caller]) await expectOwnRequest(caller, intentId);
  });

  it('Ann does, present, and whoever has nothing to do with it', async () => {
    for (const caller of [await present(ann.userId), t.owner.caller]) {
      const { intent } = await approve(caller, await asked(kind, puppet));
      expect(intent.status).toBe('approved');
    }
  });
});

it('not either once the puppet that made the key has gone', async () => {
  const intentId = await asked('agent', puppet);
  if (puppet.kind === 'session') await leaveProject(t.gate, puppet, { projectId: t.projectId });
  await expectOwnRequest(another, intentId);
});

it('a person whom nobody’s program brought in approves, present, what a key of theirs asked for', async () => {
  const bob = await t.addPerson('bob@example.org', 'admin');
  const bobPresent = await present(bob.userId);
  for (const kind of ['agent', 'secret'] as const) {
    expect((await approve(bobPresent, await asked(kind, bobPresent))).intent.status).toBe('approved');
  }
});
