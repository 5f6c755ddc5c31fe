/** A policy change that needs a second approval: who is notified of it, who is not, and who is notified of its end. */
import type { JsonObject } from '@permitry/protocol';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { requireSecondPerson } from '../../src/gate/four-eyes/require-second-person.ts';
import { putChatHook } from '../../src/gate/notifications/chat-hook.ts';
import type { ChatKind } from '../../src/gate/notifications/kinds.ts';
import { DEFAULT_PREFERENCES, type SavedPreferences } from '../../src/gate/notifications/preferences.ts';
import { addPushDevice } from '../../src/gate/notifications/push-devices.ts';
import { DEFAULT_POLICY } from '../../src/gate/policy/default-policy.ts';
import { approveProposal } from '../../src/gate/policy-management/proposals/approve-proposal.ts';
import { listProposalsWaitingFor } from '../../src/gate/policy-management/proposals/list-waiting-proposals.ts';
import { proposePolicy } from '../../src/gate/policy-management/proposals/propose-policy.ts';
import {
  rejectProposal,
  withdrawProposal,
} from '../../src/gate/policy-management/proposals/resolve-proposal.ts';
import { putPolicy } from '../../src/gate/policy-management/put-policy.ts';
import type { ChatMessage } from '../../src/outgoing/chat/chat-message.ts';
import { changeRole } from '../../src/people/members/change-role.ts';
import { broughtIn } from '../fixtures/brought-in.ts';
import { OPERATOR, OWNER_EMAIL, type Person } from '../fixtures/open-test-gate.ts';
import { signedIn } from '../fixtures/signed-in.ts';
import { type NotifiedGate, openNotifications } from './open-notifications.ts';
import { softwareBrowser } from './software-browser.ts';

let t: NotifiedGate;
let ann: Person;
let bob: Person;

beforeEach(async () => {
  t = await openNotifications();
  ann = await t.addPerson('ann@example.org', 'admin');
  bob = await t.addPerson('bob@example.org', 'admin');
  await t.addPerson('alf@example.org', 'approver');
  await t.addPerson('vera@example.org', 'viewer');
  await requireSecondPerson(t.gate, OPERATOR, { projectId: t.projectId, required: true });
  await t.mails();
});
afterEach(() => t.close());

const WAITS = '[First] A policy change needs approval';

function denying(action: string): JsonObject {
  return { ...DEFAULT_POLICY, rules: [{ name: 'no', match: { action }, effect: 'deny' }] };
}

async function propose(by: Pick<Person, 'present'> = ann, comment?: string): Promise<string> {
  const { proposal } = await proposePolicy(t.gate, await by.present(), {
    projectId: t.projectId,
    document: denying(`mail.send${t.clock.now()}`),
    ...(comment === undefined ? {} : { comment }),
  });
  return proposal.id;
}
const named = (proposalId: string) => ({ projectId: t.projectId, proposalId });
const role = (person: Person, next: 'viewer' | 'admin') =>
  changeRole(t.gate, OPERATOR, { projectId: t.projectId, userId: person.userId, role: next });
const putByOperator = () =>
  putPolicy(t.gate, OPERATOR, { projectId: t.projectId, document: denying('by.operator') });
const prefer = (userId: string, preferences: SavedPreferences) =>
  t.gate.storage.transaction((tx) =>
    // Preferences as saved by a gate that knew fewer kinds of notification.
    tx.savePreferences(userId, preferences as typeof DEFAULT_PREFERENCES, t.clock.now()),
  );
const session = async (userId: string) => (await signedIn(t.gate, userId)).caller();
const waitingFor = async (userId: string) =>
  (await listProposalsWaitingFor(t.gate, await session(userId))).map(({ id }) => id);
/** An admin whom the owner's program made a member. */
const madeByOwner = (email: string) => broughtIn(t, [t.owner], email, 'admin');

/** Puts notifications in the outbox without sending them. */
async function queue(): Promise<void> {
  await t.gate.ledger.sealNow(t.projectId);
  await t.notifications.runOnce();
  expect(await t.gate.storage.read.countWaitingNotifications()).toBeGreaterThan(0);
}

describe('a policy change that needs a second approval', () => {
  test('is announced to those who can approve it, and to nobody else', async () => {
    const id = await propose();
    const mails = await t.mails();
    expect(mails.map(({ recipients, subject }) => `${recipients}: ${subject}`)).toEqual([
      `bob@example.org: ${WAITS}`,
      `${OWNER_EMAIL}: ${WAITS}`,
    ]);
    expect(mails[0]?.text).toContain('Proposed by: ann@example.org');
    expect(mails[0]?.text).toContain('Opening a link never decides anything');
    expect(await waitingFor(bob.userId)).toEqual([id]);
    expect(await waitingFor(t.owner.userId)).toEqual([id]);
    expect(await waitingFor(ann.userId)).toEqual([]);
    expect(await t.subjects()).toEqual([]);
  });

  test('is not announced to members added by the proposer’s program, or by the program that added the proposer', async () => {
    const one = await madeByOwner('one@example.org');
    const other = await madeByOwner('other@example.org');
    await t.mails();
    const told = async () => (await t.mails()).map(({ recipients }) => recipients[0]);
    const id = await propose(t.owner);
    expect(await told()).toEqual(['ann@example.org', 'bob@example.org']);
    expect(await waitingFor(one.userId)).toEqual([]);
    await withdrawProposal(t.gate, await t.owner.present(), named(id));
    const theirs = await propose({ present: one.caller });
    expect(await told()).toEqual(['ann@example.org', 'bob@example.org', OWNER_EMAIL]);
    expect(await waitingFor(other.userId)).toEqual([]);
    expect(await waitingFor(t.owner.userId)).toEqual([theirs]);
  });

  test('is announced without the document, with text made inert, and with links that only open pages', async () => {
    await propose(ann, 'see https://evil.example <b>now</b>\u202E');
    const [mail] = await t.mails();
    expect(mail?.text).toContain('Comment: see https:⟨//⟩evil.example <b>now</b>⟨U+202E⟩');
    expect(mail?.html).not.toContain('<b>now');
    expect(mail?.raw).not.toContain('mail.send');
    const links = [...`${mail?.text} ${mail?.html}`.matchAll(/https?:\/\/[^\s"<]+/g)].map(([link]) => link);
    expect(new Set(links)).toEqual(
      new Set([
        `http://localhost:4000/projects/${t.projectId}/policy`,
        'http://localhost:4000/account/notifications',
      ]),
    );
  });

  test.each<[string, (id: string) => Promise<unknown>]>([
    ['it was approved', async (id) => approveProposal(t.gate, await bob.present(), named(id))],
    ['it was rejected', async (id) => rejectProposal(t.gate, await bob.present(), named(id))],
    ['it was withdrawn', async (id) => withdrawProposal(t.gate, await ann.present(), named(id))],
    ['another version was published', () => putByOperator()],
    ['its proposer became a viewer', () => role(ann, 'viewer')],
  ])('is no longer announced once %s', async (_, end) => {
    const id = await propose();
    await queue();
    await end(id);
    expect((await t.subjects()).filter((subject) => subject.endsWith(WAITS))).toEqual([]);
    expect(await waitingFor(bob.userId)).toEqual([]);
  });

  test('is not announced to a person who can no longer approve it', async () => {
    const id = await propose();
    await queue();
    await role(bob, 'viewer');
    expect(await t.subjects()).toEqual([`${OWNER_EMAIL}: ${WAITS}`]);
    expect(await waitingFor(bob.userId)).toEqual([]);
    expect(await waitingFor(t.owner.userId)).toEqual([id]);
  });

  test('is announced according to each person’s preferences, and by default if these lack this kind', async () => {
    const { proposed, ...earlier } = DEFAULT_PREFERENCES.channels;
    expect(proposed).toEqual({ mail: true, push: true });
    await prefer(bob.userId, { ...DEFAULT_PREFERENCES, channels: earlier });
    await prefer(t.owner.userId, {
      ...DEFAULT_PREFERENCES,
      channels: { ...earlier, proposed: { mail: false, push: true } },
    });
    await propose();
    expect(await t.subjects()).toEqual([`bob@example.org: ${WAITS}`]);
  });

  test('is announced by a push message that opens the policy page', async () => {
    const { open, ...address } = softwareBrowser(`${t.posts.url}/phone`);
    await addPushDevice(t.gate, await session(bob.userId), { label: 'Phone', ...address });
    await t.mails();
    t.posts.received.length = 0;
    const id = await propose();
    await t.tell();
    expect(t.posts.received.map((post) => open(post))).toEqual([
      {
        title: 'A policy change needs approval',
        body: expect.stringMatching(/^First · It takes effect only after/),
        path: `/projects/${t.projectId}/policy`,
        tag: id,
        lasting: false,
      },
    ]);
  });

  test.each<[string, ChatKind[], string[]]>([
    ['announced in a chat that selected this kind', ['proposed'], ['`A policy change needs approval`']],
    [
      'not announced in a chat that did not select this kind',
      ['waiting', 'reminder', 'decided', 'revoked'],
      [],
    ],
  ])('is %s', async (_, kinds, heard) => {
    const url = `${t.posts.url}/services/T000`;
    await putChatHook(t.gate, OPERATOR, {
      projectId: t.projectId,
      url,
      kinds,
      minimumRiskTier: 'critical',
    });
    await propose();
    await t.tell();
    const messages = t.posts.received.map(({ body }) => JSON.parse(body.toString()) as ChatMessage);
    expect(messages.flatMap(({ attachments }) => attachments.map(({ text }) => text))).toEqual(heard);
  });
});

describe('the proposer of a policy change', () => {
  const heard = async () =>
    (await t.mails()).filter(({ recipients }) => recipients[0] === ann.email).map(({ subject }) => subject);

  test('is notified when the change becomes active', async () => {
    await approveProposal(t.gate, await bob.present(), named(await propose()));
    const [mail, ...others] = await t.mails();
    expect(others).toEqual([]);
    expect(mail).toMatchObject({
      recipients: [ann.email],
      subject: '[First] A policy change was approved',
    });
    expect(mail?.text).toContain('is active, as version 2');
    expect(mail?.text).toContain('Decided by: bob@example.org');
  });

  test('is notified when the change is rejected, and why', async () => {
    await rejectProposal(t.gate, await bob.present(), { ...named(await propose()), reason: 'Too tight.' });
    const [mail] = await t.mails();
    expect(mail?.subject).toBe('[First] A policy change was rejected');
    expect(mail?.text).toContain('Reason: Too tight.');
  });

  test('is notified once when the change can no longer be approved', async () => {
    const id = await propose();
    await t.mails();
    await putByOperator();
    expect(await heard()).toEqual(['[First] A policy change can no longer be approved']);
    await putPolicy(t.gate, OPERATOR, { projectId: t.projectId, document: denying('again') });
    expect(await heard()).toEqual([]);
    await withdrawProposal(t.gate, await ann.present(), named(id));
    expect(await heard()).toEqual([]);
  });

  test('gets no email about a rejection after turning off emails about decisions', async () => {
    const channels = { ...DEFAULT_PREFERENCES.channels, decided: { mail: false, push: true } };
    await prefer(ann.userId, { ...DEFAULT_PREFERENCES, channels });
    await rejectProposal(t.gate, await bob.present(), named(await propose()));
    expect(await t.subjects()).toEqual([]);
  });

  test('is notified in the same way about the end of the two-person rule', async () => {
    const asked = { projectId: t.projectId, required: false };
    const { proposal } = await requireSecondPerson(t.gate, await t.owner.present(), asked);
    expect(await t.subjects()).toEqual(
      [ann, bob].map(({ email }) => `${email}: [First] Turning off the two-person rule needs approval`),
    );
    await approveProposal(t.gate, await bob.present(), named(String(proposal?.id)));
    expect(await t.subjects()).toEqual([
      `${OWNER_EMAIL}: [First] Turning off the two-person rule was approved`,
    ]);
  });
});
