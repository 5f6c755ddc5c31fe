import { beforeEach, describe, expect, it } from 'vitest';
import type { Session } from '../../../src/gate/access/session.ts';
import type { CurrentStorage } from './conformance.ts';
import { at, aUser, ODD_TEXT } from './samples.ts';

const session = (id: string, more: Partial<Session> = {}): Session => ({
  id,
  tokenHash: `hash of ${id}`,
  userId: 'usr_1',
  methods: ['password', 'totp'],
  signedInAt: at(0),
  confirmedAt: at(0),
  lastSeenAt: at(0),
  expiresAt: at(100),
  address: '192.0.2.1',
  userAgent: ODD_TEXT,
  endedAt: null,
  ...more,
});

export function describeSessions(storage: CurrentStorage): void {
  describe('the storage of sessions', () => {
    const idsOf = async (userId: string) => (await storage().read.listSessions(userId)).map(({ id }) => id);

    beforeEach(async () => {
      await storage().transaction(async (tx) => {
        for (const id of ['usr_1', 'usr_2']) await tx.insertUser(aUser(id));
        await tx.insertSession(session('ses_1'));
        await tx.insertSession(session('ses_2', { address: null, userAgent: null }));
        await tx.insertSession(session('ses_3', { userId: 'usr_2' }));
      });
    });

    it('finds a session by ID and by the hash of its token, and lists the sessions of a person newest first', async () => {
      expect(await storage().read.findSession('ses_1')).toEqual(session('ses_1'));
      expect(await storage().read.findSessionByToken('hash of ses_2')).toMatchObject({ id: 'ses_2' });
      expect(await storage().read.findSessionByToken('hash of nothing')).toBeUndefined();
      expect(await idsOf('usr_1')).toEqual(['ses_2', 'ses_1']);
    });

    it('refuses a token that another session has', async () => {
      const again = storage().transaction((tx) =>
        tx.insertSession(session('ses_4', { tokenHash: 'hash of ses_1' })),
      );
      await expect(again).rejects.toMatchObject({ code: 'conflict' });
    });

    it('ends a session once, however many try', async () => {
      const ends = await Promise.all(
        [1, 2, 3].map((second) => storage().transaction((tx) => tx.endSession('ses_1', at(second)))),
      );
      expect(ends.filter((ended) => ended)).toHaveLength(1);
      expect(await idsOf('usr_1')).toEqual(['ses_2']);
      expect(await storage().read.findSession('ses_1')).toMatchObject({
        endedAt: at(ends.indexOf(true) + 1),
      });
    });

    it('ends all sessions of a person except a given one, and none of another person', async () => {
      const end = (except: string | null) =>
        storage().transaction((tx) => tx.endSessions('usr_1', except, at(5)));
      expect(await end('ses_1')).toBe(1);
      expect(await idsOf('usr_1')).toEqual(['ses_1']);
      expect(await end(null)).toBe(1);
      expect(await idsOf('usr_1')).toEqual([]);
      expect(await idsOf('usr_2')).toEqual(['ses_3']);
    });

    it('keeps the latest use of a session, and changes neither use nor presence of an ended one', async () => {
      await storage().transaction(async (tx) => {
        await tx.touchSessions(['ses_1', 'ses_2', 'ses_9'], at(20));
        await tx.touchSessions(['ses_1'], at(10));
        await tx.endSession('ses_2', at(21));
        await tx.touchSessions(['ses_2'], at(30));
        expect(await tx.confirmSession('ses_1', at(25))).toBe(true);
        expect(await tx.confirmSession('ses_2', at(25))).toBe(false);
      });
      expect(await storage().read.findSession('ses_1')).toMatchObject({
        lastSeenAt: at(20),
        confirmedAt: at(25),
      });
      expect(await storage().read.findSession('ses_2')).toMatchObject({
        lastSeenAt: at(20),
        confirmedAt: at(0),
      });
    });

    it('deletes expired sessions, a few at a time, and the sessions of a person all at once', async () => {
      await storage().transaction((tx) => tx.insertSession(session('ses_4', { expiresAt: at(500) })));
      const deleteOld = () => storage().transaction((tx) => tx.deleteOldSessions(at(101), 2));
      expect([await deleteOld(), await deleteOld(), await deleteOld()]).toEqual([2, 1, 0]);
      expect(await idsOf('usr_1')).toEqual(['ses_4']);
      expect(await storage().transaction((tx) => tx.deleteSessions('usr_1'))).toBe(1);
      expect(await storage().read.findSession('ses_4')).toBeUndefined();
    });
  });
}
