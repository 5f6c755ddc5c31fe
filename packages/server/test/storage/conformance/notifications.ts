import { beforeEach, describe, expect, it } from 'vitest';
import type { ChatHook, PushSubscription } from '../../../src/gate/notifications/notification.ts';
import { DEFAULT_PREFERENCES } from '../../../src/gate/notifications/preferences.ts';
import type { AttemptRecord, Channel, Delivery, NewDelivery } from '../../../src/gate/outbox/delivery.ts';
import type { CurrentStorage } from './conformance.ts';
import { at, aUser, ODD, ODD_TEXT } from './samples.ts';

let made = 0;

function aNotification(changes: Partial<NewDelivery> = {}): NewDelivery {
  made += 1;
  return {
    id: `dlv_n${made}`,
    causeId: 'evt_1',
    kind: 'waiting',
    channel: 'mail',
    target: 'usr_1',
    userId: 'usr_1',
    projectId: 'prj_1',
    intentId: 'int_1',
    detail: ODD,
    eventSeq: null,
    eventType: null,
    replayId: null,
    createdAt: at(0),
    dueAt: at(5),
    ...changes,
  };
}

const NONE: AttemptRecord = { attempts: [], attemptCount: 0, lastStatus: null, lastError: null };
const FAILED: AttemptRecord = { ...NONE, attemptCount: 1, lastError: 'The server is away.' };

function aSubscription(changes: Partial<PushSubscription> = {}): PushSubscription {
  return {
    id: 'psh_1',
    userId: 'usr_1',
    endpointHash: 'aa',
    sealed: 'sealed',
    host: 'push.example.com',
    label: ODD_TEXT,
    createdAt: at(0),
    lastSentAt: null,
    ...changes,
  };
}

const HOOK: ChatHook = {
  projectId: 'prj_1',
  sealed: 'sealed',
  host: 'hooks.example.com',
  hint: 'abcd',
  kinds: ['waiting', 'decided'],
  minimumRiskTier: 'high',
  updatedAt: at(0),
  lastSentAt: null,
  lastError: null,
};

export function describeNotifications(storage: CurrentStorage): void {
  const write: ReturnType<CurrentStorage>['transaction'] = (work) => storage().transaction(work);
  const put = (changes?: Partial<NewDelivery>) => write((tx) => tx.insertDelivery(aNotification(changes)));
  const dueBy = (channel: Channel, seconds: number) =>
    storage().read.listDueDeliveries({ channel, now: at(seconds), limit: 10 });
  const due = (seconds: number) => dueBy('mail', seconds);
  const finish = (delivery: Delivery, state: 'delivered' | 'dropped' | 'failed', seconds: number) =>
    write((tx) => tx.finishDelivery(delivery, null, state, at(seconds), NONE));

  describe('the outbox', () => {
    it('keeps every field of a notification, and the same notification only once', async () => {
      const first = aNotification();
      expect(await write((tx) => tx.insertDelivery(first))).toBe(true);
      expect(await put({ detail: {} })).toBe(false);
      expect(await put({ channel: 'push' })).toBe(true);
      expect(await put({ target: 'usr_2' })).toBe(true);
      expect(await put({ kind: 'reminder' })).toBe(true);
      expect(await due(5)).toHaveLength(3);
      expect((await due(5))[0]).toEqual({
        ...first,
        ...NONE,
        position: expect.any(Number),
        state: 'waiting',
        doneAt: null,
      });
    });

    it('lists due notifications of a channel or of one target, oldest first', async () => {
      await put({ causeId: 'a', dueAt: at(9) });
      await put({ causeId: 'b', dueAt: at(3) });
      await put({ causeId: 'c', dueAt: at(4), target: 'usr_2', userId: 'usr_2' });
      await put({ causeId: 'd', channel: 'chat', target: 'prj_1', userId: null });
      expect((await due(5)).map(({ causeId }) => causeId)).toEqual(['b', 'c']);
      expect((await due(9)).map(({ causeId }) => causeId)).toEqual(['b', 'c', 'a']);
      const ofOne = { channel: 'mail', target: 'usr_1', now: at(9), limit: 1 } as const;
      const own = await storage().read.listDueDeliveries(ofOne);
      expect(own.map(({ causeId }) => causeId)).toEqual(['b']);
      expect(await storage().read.countWaitingFor('mail', 'usr_1', 10)).toBe(2);
      expect(await storage().read.countWaitingFor('mail', 'usr_1', 1)).toBe(1);
      expect(await storage().read.countWaitingNotifications()).toBe(4);
    });

    it('postpones a notification, and counts a failure if there was one', async () => {
      await put();
      await put({ causeId: 'later', dueAt: at(50) });
      const position = (await due(5))[0]?.position ?? 0;
      const lease = (seconds: number) =>
        write((tx) => tx.leaseDelivery(position, 'gate', at(seconds), at(seconds + 30)));
      expect(await lease(5)).toBe(true);
      expect(await write((tx) => tx.releaseDelivery(position, 'gate', at(20)))).toBe(true);
      expect(await due(19)).toEqual([]);
      expect(await lease(20)).toBe(true);
      expect(await write((tx) => tx.postponeDelivery(position, 'gate', at(30), FAILED))).toBe(true);
      expect(await due(30)).toMatchObject([{ position, ...FAILED, dueAt: at(30) }]);
    });

    it('finishes a notification once, and keeps the time at which it was sent', async () => {
      await put();
      const [row] = await due(5);
      if (!row) return expect.unreachable('nothing is due');
      expect(await storage().read.findLastSentAt('mail', 'usr_1')).toBeUndefined();
      expect(await finish(row, 'delivered', 6)).toBe(true);
      expect(await finish(row, 'failed', 7)).toBe(false);
      expect(await write((tx) => tx.leaseDelivery(row.position, 'gate', at(8), at(9)))).toBe(false);
      expect(await due(100)).toEqual([]);
      expect(await storage().read.findLastSentAt('mail', 'usr_1')).toBe(at(6));
      expect(await storage().read.findLastSentAt('mail', 'usr_2')).toBeUndefined();
      expect(await put()).toBe(false);
    });

    it('lists who was notified of a pending intent, until it forgets them', async () => {
      for (const userId of ['usr_1', 'usr_2']) {
        for (const channel of ['mail', 'push'] as const) await put({ channel, userId, target: userId });
      }
      await put({ kind: 'decided', userId: 'usr_3', target: 'usr_3' });
      await put({ channel: 'chat', userId: null, target: 'prj_1' });
      for (const channel of ['mail', 'push', 'chat'] as const) {
        for (const delivery of await dueBy(channel, 5)) {
          await finish(delivery, delivery.userId === 'usr_2' ? 'dropped' : 'delivered', 6);
        }
      }
      expect(await storage().read.listNotifiedPeople('int_1')).toEqual(['usr_1']);
      await write((tx) => tx.forgetNotified('int_1'));
      expect(await storage().read.listNotifiedPeople('int_1')).toEqual([]);
      // A notification of another kind stays until it is old.
      expect(await storage().read.findLastSentAt('mail', 'usr_3')).toBe(at(6));
    });

    it('deletes finished notifications, a few at a time, and never waiting ones', async () => {
      for (const causeId of ['a', 'b', 'c', 'd']) await put({ causeId });
      const rows = await due(5);
      for (const [index, row] of rows.slice(0, 3).entries()) await finish(row, 'dropped', 10 + index);
      const deleted = (before: number, limit: number, channel: Channel = 'mail') =>
        write((tx) => tx.deleteDoneDeliveries(channel, at(before), limit));
      expect(await deleted(100, 10, 'push')).toBe(0);
      expect(await deleted(12, 1)).toBe(1);
      expect(await deleted(12, 10)).toBe(1);
      expect(await deleted(100, 10)).toBe(1);
      expect(await deleted(100, 10)).toBe(0);
      expect(await storage().read.countWaitingNotifications()).toBe(1);
    });

    it('counts the notifications that it does not list', async () => {
      const unlisted = () => storage().read.countUnlisted('mail', 'usr_1');
      expect(await unlisted()).toBe(0);
      await write((tx) => tx.addUnlisted('mail', 'usr_1', 400));
      await write((tx) => tx.addUnlisted('mail', 'usr_1', 7));
      await write((tx) => tx.addUnlisted('push', 'usr_1', 1));
      expect(await unlisted()).toBe(407);
      await write((tx) => tx.subtractUnlisted('mail', 'usr_1', 400));
      expect(await unlisted()).toBe(7);
    });
  });

  describe('a reader of the log', () => {
    it('advances only from its current place', async () => {
      const position = () => storage().read.findReaderPosition('notifications', 'prj_1');
      const move = (from: number | undefined, to: number) =>
        write((tx) => tx.moveReader('notifications', 'prj_1', from, to));
      expect(await position()).toBeUndefined();
      expect(await move(3, 5)).toBe(false);
      expect(await move(undefined, 5)).toBe(true);
      expect(await move(undefined, 9)).toBe(false);
      expect(await move(5, 9)).toBe(true);
      expect(await move(5, 12)).toBe(false);
      expect(await position()).toBe(9);
      expect(await storage().read.findReaderPosition('another', 'prj_1')).toBeUndefined();
    });
  });

  describe('reminders', () => {
    it('exist once per intent, and are listed when due', async () => {
      const add = (intentId: string, seconds: number) =>
        write((tx) => tx.insertReminder({ intentId, projectId: 'prj_1', dueAt: at(seconds) }));
      await add('int_2', 20);
      await add('int_1', 10);
      await add('int_1', 30);
      const listed = async (seconds: number) =>
        (await storage().read.listDueReminders(at(seconds), 10)).map(({ intentId }) => intentId);
      expect(await listed(9)).toEqual([]);
      expect(await listed(20)).toEqual(['int_1', 'int_2']);
      expect(await write((tx) => tx.deleteReminder('int_1'))).toBe(true);
      expect(await write((tx) => tx.deleteReminder('int_1'))).toBe(false);
      expect(await listed(40)).toEqual(['int_2']);
    });
  });

  describe('notification settings', () => {
    beforeEach(() =>
      write(async (tx) => {
        await tx.insertUser(aUser('usr_1'));
        await tx.insertUser(aUser('usr_2'));
      }),
    );

    it('keep the latest preferences', async () => {
      const quietHours = { from: '22:00', to: '07:00', timeZone: 'Europe/Vienna' };
      const save = (changes: object) =>
        write((tx) => tx.savePreferences('usr_1', { ...DEFAULT_PREFERENCES, ...changes }, at(0)));
      expect(await storage().read.findPreferences('usr_1')).toBeUndefined();
      await save({});
      await save({ quietHours, mutedProjects: ['prj_1'] });
      expect(await storage().read.findPreferences('usr_1')).toEqual({
        ...DEFAULT_PREFERENCES,
        quietHours,
        mutedProjects: ['prj_1'],
      });
    });

    it('keep push subscriptions, and each endpoint only once', async () => {
      const { read } = storage();
      expect(await read.hasPushSubscriptions()).toBe(false);
      await write((tx) => tx.savePushSubscription(aSubscription()));
      await write((tx) => tx.savePushSubscription(aSubscription({ id: 'psh_2', endpointHash: 'bb' })));
      expect(await read.hasPushSubscriptions()).toBe(true);
      expect(await read.findPushSubscription('psh_1')).toEqual(aSubscription());
      const replaced = aSubscription({ id: 'psh_3', userId: 'usr_2' });
      await write((tx) => tx.savePushSubscription(replaced));
      expect((await read.listPushSubscriptions('usr_1')).map(({ id }) => id)).toEqual(['psh_2']);
      await write((tx) => tx.touchPushSubscription('psh_3', at(7)));
      expect(await read.listPushSubscriptions('usr_2')).toEqual([{ ...replaced, lastSentAt: at(7) }]);
    });

    it('delete a push subscription or a chat hook together with its waiting messages', async () => {
      await write((tx) => tx.savePushSubscription(aSubscription()));
      await write((tx) => tx.saveChatHook(HOOK));
      await put({ channel: 'push', target: 'psh_1' });
      await put({ channel: 'push', target: 'psh_2' });
      await put({ channel: 'chat', target: 'prj_1', userId: null });
      expect(await write((tx) => tx.deletePushSubscription('psh_1'))).toBe(true);
      expect(await write((tx) => tx.deletePushSubscription('psh_1'))).toBe(false);
      expect(await write((tx) => tx.deleteChatHook('prj_1'))).toBe(true);
      expect(await write((tx) => tx.deleteChatHook('prj_1'))).toBe(false);
      expect(await storage().read.countWaitingNotifications()).toBe(1);
    });

    it('keep a chat hook, and the result of its latest attempt', async () => {
      const hook = () => storage().read.findChatHook('prj_1');
      await write((tx) => tx.saveChatHook(HOOK));
      expect(await hook()).toEqual(HOOK);
      await write((tx) => tx.noteChatHook('prj_1', { error: 'The chat answered 500.' }));
      expect(await hook()).toEqual({ ...HOOK, lastError: 'The chat answered 500.' });
      await write((tx) => tx.noteChatHook('prj_1', { sentAt: at(9) }));
      expect(await hook()).toEqual({ ...HOOK, lastSentAt: at(9) });
      await write((tx) => tx.saveChatHook({ ...HOOK, kinds: [] }));
      expect(await hook()).toEqual({ ...HOOK, kinds: [] });
    });

    it('keep only the first key pair for push messages', async () => {
      const pair = (publicKey: string) => ({ publicKey, privateKey: 'sealed', createdAt: at(0) });
      expect(await write((tx) => tx.insertPushIdentity(pair('one')))).toBe(true);
      expect(await write((tx) => tx.insertPushIdentity(pair('two')))).toBe(false);
      expect(await storage().read.findPushIdentity()).toEqual(pair('one'));
    });

    it('delete messages about an intent, messages to a member, and messages to a person who is in no project', async () => {
      await put({ causeId: 'a' });
      await put({ causeId: 'b', intentId: 'int_2' });
      await put({ causeId: 'c', intentId: null, projectId: null });
      await put({ channel: 'webhook', target: 'whk_1', userId: null });
      await write((tx) => tx.insertReminder({ intentId: 'int_1', projectId: 'prj_1', dueAt: at(0) }));
      await write((tx) => tx.savePushSubscription(aSubscription()));
      await write((tx) => tx.savePreferences('usr_1', DEFAULT_PREFERENCES, at(0)));
      const left = async () => (await due(9)).map(({ causeId }) => causeId);
      await write((tx) => tx.eraseNotificationsOfIntent('int_1'));
      expect(await left()).toEqual(['b', 'c']);
      // An event for a webhook holds no text.
      expect(await storage().read.countWaitingFor('webhook', 'whk_1', 9)).toBe(1);
      expect(await storage().read.listDueReminders(at(9), 10)).toEqual([]);
      await write((tx) => tx.eraseNotificationsOfMember('prj_1', 'usr_1'));
      expect(await left()).toEqual(['c']);
      const membership = { projectId: 'prj_1', userId: 'usr_1', email: 'x', createdAt: at(0) };
      await write((tx) => tx.saveMember({ ...membership, role: 'viewer' }));
      await write((tx) => tx.eraseNotifiedPerson('usr_1'));
      expect(await left()).toEqual(['c']);
      await write((tx) => tx.removeMember('prj_1', 'usr_1'));
      await write((tx) => tx.eraseNotifiedPerson('usr_1'));
      expect(await left()).toEqual([]);
      expect(await storage().read.findPreferences('usr_1')).toBeUndefined();
      expect(await storage().read.hasPushSubscriptions()).toBe(false);
    });
  });
}
