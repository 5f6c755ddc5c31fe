/**
 * Admins and owners are notified that an agent's keys end because its owner left: immediately, and a day before the
 * end.
 */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { registerAgent } from '../../src/gate/agents/register-agent.ts';
import { updateAgent } from '../../src/gate/agents/update-agent.ts';
import { warnOfEndingKeys } from '../../src/gate/agents/warn-of-ending-keys.ts';
import { removeMember } from '../../src/people/members/remove-member.ts';
import { OPERATOR } from '../fixtures/open-test-gate.ts';
import { type NotifiedGate, openNotifications } from './open-notifications.ts';

const DAY = 24 * 60 * 60;

let t: NotifiedGate;
let agentId: string;
beforeEach(async () => {
  t = await openNotifications();
  const { projectId } = t;
  const { userId } = await t.addPerson('leaver@example.org', 'admin');
  await t.addPerson('ann@example.org', 'admin');
  await t.addPerson('bob@example.org', 'approver');
  agentId = (await registerAgent(t.gate, OPERATOR, { projectId, name: 'refund-bot', ownerId: userId })).id;
  await t.mails();
  await removeMember(t.gate, OPERATOR, { projectId, userId });
});
afterEach(() => t.close());

async function told(): Promise<string[]> {
  const mails = await t.mails();
  return mails
    .filter(({ subject }) => subject?.includes('refund-bot'))
    .map(({ recipients }) => String(recipients));
}

test('when an agent’s owner is removed, admins and owners get an email at once, with a link to the agent', async () => {
  const mails = (await t.mails()).filter(({ subject }) => subject?.includes('refund-bot'));
  expect(mails.map(({ recipients }) => String(recipients)).toSorted()).toEqual([
    'ann@example.org',
    'owner@example.org',
  ]);
  expect(JSON.stringify(mails[0])).toContain(`/projects/${t.projectId}/agents/${agentId}`);
});

test('admins and owners get one more email a day before the agent’s keys expire', async () => {
  await told();
  t.clock.advance(6 * DAY + 60);
  await warnOfEndingKeys(t.gate);
  expect((await told()).toSorted()).toEqual(['ann@example.org', 'owner@example.org']);
  await warnOfEndingKeys(t.gate);
  expect(await told()).toEqual([]);
});

test('no email is sent about an agent that gets a new owner before the email leaves', async () => {
  const { projectId } = t;
  await updateAgent(t.gate, OPERATOR, { projectId, agentId, ownerId: t.owner.userId });
  expect(await told()).toEqual([]);
});
