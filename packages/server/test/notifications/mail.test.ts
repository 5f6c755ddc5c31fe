/** Who is notified of what, by emails to a real mail server. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { askToExtend } from '../../src/gate/intents/ask-to-extend.ts';
import { decideIntent } from '../../src/gate/intents/decide.ts';
import { expireAllDue } from '../../src/gate/intents/expire.ts';
import { withdrawIntent } from '../../src/gate/intents/withdraw.ts';
import { notifyAboutAccount } from '../../src/gate/notifications/notify-account.ts';
import { DEFAULT_PREFERENCES, type Preferences } from '../../src/gate/notifications/preferences.ts';
import { revokePermit } from '../../src/gate/permits/revoke.ts';
import { putPolicy } from '../../src/gate/policy-management/put-policy.ts';
import { stopProject } from '../../src/gate/projects/stop-switch.ts';
import { saveGroup } from '../../src/people/groups/save-group.ts';
import { removeMember } from '../../src/people/members/remove-member.ts';
import { asActor, recordAccountEvent } from '../../src/people/record-account-event.ts';
import { approveInPerson } from '../fixtures/approve-in-person.ts';
import { OPERATOR, OWNER_EMAIL, type Person } from '../fixtures/open-test-gate.ts';
import { signedIn } from '../fixtures/signed-in.ts';
import { type NotifiedGate, openNotifications } from './open-notifications.ts';

let t: NotifiedGate;
let ann: Person;
let bob: Person;

beforeEach(async () => {
  t = await openNotifications();
  ann = await t.addPerson('ann@example.org', 'approver');
  bob = await t.addPerson('bob@example.org', 'approver');
  await t.addPerson('vera@example.org', 'viewer');
  await t.tell();
});
afterEach(() => t.close());

const decide = (intentId: string, decision: 'approve' | 'deny', who = ann, reason?: string) =>
  decision === 'approve'
    ? approveInPerson(t.gate, who.userId, intentId)
    : decideIntent(t.gate, who.caller, { intentId, decision, ...(reason === undefined ? {} : { reason }) });
const prefer = (userId: string, preferences: Partial<Preferences>) =>
  t.gate.storage.transaction((tx) =>
    tx.savePreferences(userId, { ...DEFAULT_PREFERENCES, ...preferences }, t.clock.now()),
  );

describe('an email about a pending request', () => {
  test('goes to everyone who can approve the request, and to nobody else', async () => {
    const id = await t.ask('payments.refund', {
      riskTier: 'high',
      expiresInSeconds: 3600,
      approvers: ['role:approver'],
    });
    const mails = await t.mails();
    expect(mails.map(({ recipients }) => recipients[0])).toEqual([
      'ann@example.org',
      'bob@example.org',
      OWNER_EMAIL,
    ]);
    const [mail] = mails;
    expect(mail?.subject).toBe('[First] first-agent asks for payments.refund');
    expect(mail?.text).toContain('Action: payments.refund');
    expect(mail?.text).toContain('Risk: High');
    expect(mail?.text).toContain('Project: First (live mode)');
    expect(mail?.text).toContain('Expires: 20 Nov 2026, 13:');
    expect(mail?.text).toContain(`http://localhost:4000/approve/${id}`);
    expect(mail?.text).toContain('Opening a link never decides anything');
  });

  test.each([
    ['pаypal-bot', 'Beware: “pаypal”: mixes Latin and Cyrillic letters; reads like “paypal”'],
    ['bot-1٢3', 'Beware: “1٢3”: mixes digits of 2 systems: reads 123'],
    ['Ame\u0301lie', 'Beware: “Ame\u0301lie”: not NFC; reads like “Amélie”'],
  ])(
    'warns once about misleading characters in the source, and shows what it reads like: %s',
    async (source, line) => {
      await t.ask('payments.refund', { source }, t.secret);
      const [mail] = await t.mails();
      expect(mail?.text?.split('\n').filter((text) => text.startsWith('Beware'))).toEqual([line]);
      expect(mail?.html).toContain('>Beware<');
      // The same holds for an email about several requests.
      await t.ask('a', { source }, t.secret);
      await t.ask('b', { source }, t.secret);
      const [digest] = await t.mails();
      expect(digest?.text?.split('\n').filter((text) => text.startsWith('Beware'))).toEqual([line]);
    },
  );

  test('contains no warning about an ordinary source', async () => {
    await t.ask('payments.refund', { source: 'Zoë Müller 東京' }, t.secret);
    expect((await t.mails())[0]?.text).not.toContain('Beware');
  });

  test('shows no parameters, and its links only open pages', async () => {
    await t.ask('payments.refund', { params: { iban: 'AT611904300234573201' } });
    const [mail] = await t.mails();
    expect(mail?.raw).not.toContain('AT61');
    const links = [...`${mail?.text} ${mail?.html}`.matchAll(/https?:\/\/[^\s"<]+/g)].map(([link]) => link);
    expect(links.length).toBeGreaterThan(0);
    for (const link of links) {
      expect(link).toMatch(/^http:\/\/localhost:4000\/(approve\/int_[0-9a-z]{26}|account\/notifications)$/);
    }
  });

  test('is sent once, even if the gate restarts and reads the log again', async () => {
    await t.ask();
    expect(await t.subjects()).toHaveLength(3);
    t.restart();
    expect(await t.subjects()).toEqual([]);
    t.clock.advance(3600);
    expect(await t.subjects()).toEqual([]);
  });

  test('is not sent when policy decides the request at once', async () => {
    await putPolicy(t.gate, OPERATOR, {
      projectId: t.projectId,
      document: {
        name: 'mixed',
        default: { approvers: ['role:approver'], min_approvals: 1 },
        rules: [
          { name: 'reads', match: { action: 'files.read' }, effect: 'allow' },
          { name: 'drops', match: { action: 'tables.drop' }, effect: 'deny' },
        ],
      },
    });
    await t.ask('files.read');
    await t.ask('tables.drop').catch(() => {});
    expect(await t.subjects()).toEqual([]);
  });

  test('goes only to members of the group whose approval is missing', async () => {
    await saveGroup(t.gate, OPERATOR, {
      projectId: t.projectId,
      name: 'finance',
      members: [bob.email],
    });
    await saveGroup(t.gate, OPERATOR, {
      projectId: t.projectId,
      name: 'both',
      members: [ann.email, bob.email],
    });
    await t.ask('a', { approvers: ['finance'] });
    expect(await t.subjects()).toEqual(['bob@example.org: [First] first-agent asks for a']);
  });

  test('is not sent if the request is decided or withdrawn, or the project stopped, before it leaves', async () => {
    await decide(await t.ask('a'), 'deny');
    await withdrawIntent(t.gate, t.agent, await t.ask('b'));
    // The agent's owner is notified of the decisions; nobody is notified that requests are pending.
    expect(await t.subjects()).toEqual(['owner@example.org: 2 requests were decided or expired']);
    await t.ask('c');
    await t.gate.ledger.sealNow(t.projectId);
    await t.notifications.runOnce();
    await stopProject(t.gate, t.owner.caller, { projectId: t.projectId });
    expect(await t.subjects()).toEqual([]);
  });

  test('is not sent to a member who is removed before it leaves', async () => {
    await t.ask('a');
    await t.gate.ledger.sealNow(t.projectId);
    await t.notifications.runOnce();
    await removeMember(t.gate, OPERATOR, { projectId: t.projectId, userId: bob.userId });
    expect((await t.mails()).map(({ recipients }) => recipients[0])).toEqual([
      'ann@example.org',
      OWNER_EMAIL,
    ]);
  });

  test('announces a burst of 500 requests to each person once, and says how many there are', async () => {
    await Promise.all(Array.from({ length: 500 }, (_, n) => t.ask(`job.${n}`)));
    const mails = await t.mails();
    expect(mails).toHaveLength(3);
    for (const { subject, text } of mails) {
      expect(subject).toBe('100 requests need your review, 400 more');
      expect(text).toMatch(
        /\* first-agent asks for job\.\d+ \(low risk\)\n {2}http:\S+\/approve\/int_[0-9a-z]{26}\n/,
      );
      expect(text).toContain('And 480 more. Open the inbox to see them.');
    }
    expect(await t.subjects()).toEqual([]);
  });

  test('is sent no sooner than a minute after the previous one', async () => {
    await t.ask('a');
    await t.tell();
    await t.ask('b');
    await t.gate.ledger.sealNow(t.projectId);
    await t.notifications.runOnce();
    t.clock.advance(30);
    await t.notifications.runOnce();
    expect(t.mail.received).toHaveLength(3);
    t.clock.advance(31);
    await t.notifications.runOnce();
    expect(t.mail.received).toHaveLength(6);
  });
});

describe('a reminder', () => {
  test('goes to approvers who have not decided when a fifth of the time is left', async () => {
    await t.ask('a', { expiresInSeconds: 36_000, minApprovals: 2 }).then((id) => decide(id, 'approve'));
    await t.subjects();
    t.clock.advance(28_000);
    expect(await t.subjects()).toEqual([]);
    t.clock.advance(800);
    const subjects = await t.subjects();
    expect(subjects).toEqual([
      'bob@example.org: [First] Reminder: first-agent asks for a',
      `${OWNER_EMAIL}: [First] Reminder: first-agent asks for a`,
    ]);
    expect(await t.subjects()).toEqual([]);
  });

  test('is not sent once the request is decided', async () => {
    const id = await t.ask('a', { expiresInSeconds: 3600 });
    await t.tell();
    await decide(id, 'deny');
    await t.mails();
    t.clock.advance(3000);
    expect(await t.subjects()).toEqual([]);
  });
});

describe('an email about a decision', () => {
  test('goes to the owner of the requesting service, and says who decided and why', async () => {
    const id = await t.ask('a', {}, t.secret);
    await t.mails();
    await decide(id, 'deny', ann, 'Not on a Friday.');
    const [mail, ...others] = await t.mails();
    expect(others).toEqual([]);
    expect(mail?.recipients).toEqual([OWNER_EMAIL]);
    expect(mail?.subject).toBe('[First] Denied: a');
    expect(mail?.text).toContain('Decided by: ann@example.org');
    expect(mail?.text).toContain('Reason: Not on a Friday.');
    expect(mail?.references).toContain(`${id}.waiting.${t.owner.userId}@localhost`);
  });

  test('goes to the agent’s owner and to notified people who chose it, but not to the person who decided', async () => {
    await prefer(bob.userId, {
      channels: { ...DEFAULT_PREFERENCES.channels, resolved: { mail: true, push: true } },
    });
    const id = await t.ask('a');
    await t.mails();
    await decide(id, 'approve');
    const mails = await t.mails();
    expect(mails.map(({ recipients, subject }) => `${recipients} ${subject}`)).toEqual([
      'bob@example.org [First] Approved: a',
      'owner@example.org [First] Approved: a',
    ]);
  });

  test('says that the request expired if nobody decided in time', async () => {
    await t.ask('a', { expiresInSeconds: 60 }, t.secret);
    t.clock.advance(61);
    await expireAllDue(t.gate);
    const [mail] = await t.mails();
    expect(mail?.subject).toBe('[First] Expired: a');
    expect(mail?.text).toContain('expired without a decision');
  });

  test('goes to the approver whose approval is revoked', async () => {
    const id = await t.ask('a');
    await decide(id, 'approve');
    await t.mails();
    await revokePermit(t.gate, t.owner.caller, { target: { intentId: id } });
    const mails = await t.mails();
    expect(mails.map(({ recipients, subject }) => `${recipients} ${subject}`)).toEqual([
      'ann@example.org [First] Approval revoked: a',
    ]);
  });
});

describe('a request for more time', () => {
  test('is emailed to the owner of the requesting service, unless a decision comes first', async () => {
    const session = await signedIn(t.gate, ann.userId);
    const extend = async (intentId: string) =>
      askToExtend(t.gate, await session.caller(), { intentId, comment: 'I am on a train.' });
    const id = await t.ask('a', {}, t.secret);
    await t.mails();
    await extend(id);
    const [mail, ...others] = await t.mails();
    expect(others).toEqual([]);
    expect(mail?.recipients).toEqual([OWNER_EMAIL]);
    expect(mail?.subject).toBe('[First] More time needed: a');
    expect(mail?.text).toContain('Message: I am on a train.');
    const late = await t.ask('b', {}, t.secret);
    await t.mails();
    await extend(late);
    await decide(late, 'deny');
    expect(await t.subjects()).toEqual([`${OWNER_EMAIL}: [First] Denied: b`]);
  });
});

describe('a person’s preferences', () => {
  test('can turn off kinds, projects and low risks', async () => {
    await prefer(ann.userId, { mutedProjects: [t.projectId] });
    await prefer(bob.userId, { minimumRiskTier: 'high' });
    await prefer(t.owner.userId, {
      channels: { ...DEFAULT_PREFERENCES.channels, waiting: { mail: false, push: true } },
    });
    await t.ask('low', { riskTier: 'low' });
    expect(await t.subjects()).toEqual([]);
    await t.ask('high', { riskTier: 'high' });
    expect(await t.subjects()).toEqual(['bob@example.org: [First] first-agent asks for high']);
  });

  test('hold emails back during quiet hours, across midnight and in the person’s time zone', async () => {
    // It is 12:00 UTC, 21:00 in Tokyo.
    await prefer(ann.userId, { quietHours: { from: '20:30', to: '07:00', timeZone: 'Asia/Tokyo' } });
    await t.ask('a', { expiresInSeconds: 86_400 });
    expect((await t.mails()).map(({ recipients }) => recipients[0])).toEqual([
      'bob@example.org',
      OWNER_EMAIL,
    ]);
    t.clock.set('2026-11-20T21:58:00.000Z');
    expect(await t.subjects()).toEqual([]);
    t.clock.set('2026-11-20T22:00:00.000Z');
    expect(await t.subjects()).toEqual(['ann@example.org: [First] first-agent asks for a']);
  });

  test('set the time zone of the times in an email; without them it is UTC', async () => {
    await prefer(ann.userId, { quietHours: { from: '01:00', to: '02:00', timeZone: 'Europe/Vienna' } });
    await t.ask('a', { expiresInSeconds: 3600 });
    const lines = (await t.mails()).map(({ text }) => /^Expires: .*$/m.exec(text ?? '')?.[0]);
    expect(lines).toEqual([
      'Expires: 20 Nov 2026, 14:01 CET',
      'Expires: 20 Nov 2026, 13:01 UTC',
      'Expires: 20 Nov 2026, 13:01 UTC',
    ]);
  });

  test('never hold back notices about the account', async () => {
    await prefer(ann.userId, {
      channels: { ...DEFAULT_PREFERENCES.channels, security: { mail: false, push: false } },
      quietHours: { from: '00:00', to: '23:59', timeZone: 'UTC' },
    });
    await t.gate.storage.transaction((tx) =>
      notifyAboutAccount(t.gate, tx, {
        userId: ann.userId,
        notice: 'passkey_added',
        detail: { name: 'Phone' },
      }),
    );
    const [mail] = await t.mails();
    expect(mail?.subject).toBe('A passkey was added');
    expect(mail?.text).toContain('Name: Phone');
    expect(mail?.headers.map(({ key }) => key)).not.toContain('list-unsubscribe');
    await t.gate.storage.transaction((tx) =>
      recordAccountEvent(t.gate, tx, {
        type: 'recovery_code.used',
        userId: ann.userId,
        actor: asActor(ann.caller.user),
      }),
    );
    expect(await t.subjects()).toEqual(['ann@example.org: A recovery code was used']);
  });
});

describe('text from others in an email', () => {
  test('is escaped and shortened, so markup, direction marks and line breaks have no effect', async () => {
    const id = await t.ask(
      'payments.refund',
      { source: '<img src=x onerror=alert(1)>\u202Egpj.exe\r\nBcc: eve@example.org' },
      t.secret,
    );
    await decide(id, 'deny', ann, `${'x'.repeat(900)}\u200B`);
    for (const mail of await t.mails()) {
      expect(mail.html).not.toMatch(/<img|\u202E/);
      expect(mail.text).toContain('<img src=x onerror=alert(1)>⟨U+202E⟩gpj.exe⟨U+000D⟩⟨U+000A⟩Bcc');
      expect(mail.text).toContain('⟨401 more characters⟩');
      expect(mail.headers.filter(({ key }) => key === 'bcc')).toEqual([]);
      expect(mail.recipients).toHaveLength(1);
    }
  });
});

test('without a mail server, nothing is queued', async () => {
  const quiet = await openNotifications({ smtpUrl: null });
  await quiet.ask();
  await quiet.tell();
  expect(await quiet.gate.storage.read.countWaitingNotifications()).toBe(0);
  await quiet.close();
});
