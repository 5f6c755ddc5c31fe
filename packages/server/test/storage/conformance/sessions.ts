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
  describe('sessions', () => {
    const idsOf = async (userId: string) => (await storage().read.listSessions(userId)).map(({ id }) => id);

    beforeEach(async () => {
      await storage().transaction(async (tx) => {
        for (const id of ['usr_1', 'usr_2']) await tx.insertUser(aUser(id));
        await tx.insertSession(session('ses_1'));
        await tx.insertSession(session('ses_2', { address: null, userAgent: null }));
        await tx.insertSession(session('ses_3', { userId: 'usr_2' }));
      });
    });

    it('finds a session by id and by the hash of its token, and lists those of a person, newest first', async () => {
      expect(await storage().read.findSession('ses_1')).toEqual(session('ses_1'));
      expect(await storage().read.findSessionByToken('hash of ses_2')).toMatchObject({ id: 'ses_2' });
      expect(await storage().read.findSessionByToken('hash of nothing')).toBeUndefined();
      expect(await idsOf('usr_1')).toEqual(['ses_2', 'ses_1']);
    });

    it('keeps one token for one session', async () => {
      const again = storage().transaction((tx) =>
        tx.insertSession(session('ses_4', { tokenHash: 'hash of ses_1' })),
      );
      await expect(again).rejects.toMatchObject({ code: 'conflict' });
    });

    it('ends one once, however many try', async () => {
      const ends = await Promise.all(
        [1, 2, 3].map((second) => storage().transaction((tx) => tx.endSession('ses_1', at(second)))),
      );
      expect(ends.filter((ended) => ended)).toHaveLength(1);
      expect(await idsOf('usr_1')).toEqual(['ses_2']);
      expect(await storage().read.findSession('ses_1')).toMatchObject({
        endedAt: at(ends.indexOf(true) + 1),
      });
    });

    it('ends all of a person except one, and nobody else’s', async () => {
      const end = (except: string | null) =>
        storage().transaction((tx) => tx.endSessions('usr_1', except, at(5)));
      expect(await end('ses_1')).toBe(1);
      expect(await idsOf('usr_1')).toEqual(['ses_1']);
      expect(await end(null)).toBe(1);
      expect(await idsOf('usr_1')).toEqual([]);
      expect(await idsOf('usr_2')).toEqual(['ses_3']);
    });

    it('moves the last use forward only, and neither that nor the presence of an ended one', async () => {
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

    it('deletes expired ones, a few at a time, and a person’s all at once', async () => {
      await storage().transaction((tx) => tx.insertSession(session('ses_4', { expiresAt: at(500) })));
      const deleteOld = () => storage().transaction((tx) => tx.deleteOldSessions(at(101), 2));
      expect([await deleteOld(), await deleteOld(), await deleteOld()]).toEqual([2, 1, 0]);
      expect(await idsOf('usr_1')).toEqual(['ses_4']);
      expect(await storage().transaction((tx) => tx.deleteSessions('usr_1'))).toBe(1);
      expect(await storage().read.findSession('ses_4')).toBeUndefined();
    });
  });
}
