import { describe, expect, it } from 'vitest';
import type { CurrentStorage } from './conformance.ts';
import { at } from './samples.ts';

export function describeSignInCounts(storage: CurrentStorage): void {
  describe('counts of sign-in attempts', () => {
    const save = (name: string, count: number, until: number, keptUntil: number) =>
      storage().transaction((tx) =>
        tx.saveSignInCount(name, { count, until: at(until), keptUntil: at(keptUntil) }),
      );
    const find = (name: string) => storage().read.findSignInCount(name);

    it('are kept by name, the latest replacing the one before, until they are deleted', async () => {
      expect(await find('pair a')).toBeUndefined();
      await save('pair a', 1, 0, 10);
      await save('pair a', 2, 15, 25);
      await save('pair b', 7, 0, 10);
      expect(await find('pair a')).toEqual({ count: 2, until: at(15), keptUntil: at(25) });
      await storage().transaction((tx) => tx.dropSignInCount('pair a'));
      expect(await find('pair a')).toBeUndefined();
      expect(await find('pair b')).toMatchObject({ count: 7 });
    });

    it('are deleted together by the prefix of their names', async () => {
      for (const name of ['known a 1', 'known a 2', 'known a', 'known ab 1', 'pair a 1'])
        await save(name, 1, 0, 9);
      await storage().transaction((tx) => tx.dropSignInCounts('known a '));
      const left = await Promise.all(
        ['known a 1', 'known a 2', 'known a', 'known ab 1', 'pair a 1'].map(find),
      );
      expect(left.map((count) => count !== undefined)).toEqual([false, false, true, true, true]);
    });

    it('lose no attempt when many count at the same time', async () => {
      const countUp = () =>
        storage().transaction(async (tx) => {
          const count = (await tx.findSignInCount('pair a'))?.count ?? 0;
          await tx.saveSignInCount('pair a', { count: count + 1, until: at(0), keptUntil: at(9) });
        });
      await Promise.all(Array.from({ length: 12 }, countUp));
      expect(await find('pair a')).toMatchObject({ count: 12 });
    });

    it('are deleted after their time, a few at a time, oldest first', async () => {
      for (const seconds of [30, 10, 20, 40]) await save(`pair ${seconds}`, 1, 0, seconds);
      const clear = (now: number, limit: number) =>
        storage().transaction((tx) => tx.deleteOldSignInCounts(at(now), limit));
      expect(await clear(30, 2)).toBe(2);
      expect(await find('pair 30')).toBeDefined();
      expect(await clear(30, 2)).toBe(1);
      expect(await clear(30, 2)).toBe(0);
    });

    it('of one kind are reduced to the newest, a few at a time', async () => {
      for (const seconds of [1, 2, 3, 4, 5]) await save(`pair ${seconds}`, 1, 0, seconds);
      await save('known a', 1, 0, 0);
      const trim = (keep: number, limit: number) =>
        storage().transaction((tx) => tx.trimSignInCounts('pair ', keep, limit));
      expect(await trim(2, 2)).toBe(2);
      expect(await trim(2, 2)).toBe(1);
      expect(await trim(2, 2)).toBe(0);
      expect(await find('pair 3')).toBeUndefined();
      expect(await find('pair 4')).toBeDefined();
      expect(await find('known a')).toBeDefined();
    });
  });
}
