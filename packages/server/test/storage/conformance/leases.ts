import { describe, expect, it } from 'vitest';
import type { Lease } from '../../../src/gate/leases/lease.ts';
import type { CurrentStorage } from './conformance.ts';
import { at } from './samples.ts';

const ANN: Lease = { queue: 'mail', name: 'usr_ann' };

export function describeLeases(storage: CurrentStorage): void {
  describe('leases', () => {
    const take = (by: string, now: number, lease = ANN) =>
      storage().transaction((tx) => tx.takeLease(lease, by, at(now), at(now + 30)));
    const extend = (by: string, until: number, lease = ANN) =>
      storage().transaction((tx) => tx.extendLease(lease, by, at(until)));
    const release = (by: string, lease = ANN) => storage().transaction((tx) => tx.releaseLease(lease, by));

    it('belong to one gate, however many ask at once, and cannot be taken twice', async () => {
      const holders = Array.from({ length: 20 }, (_, index) => `gate ${index}`);
      const taken = await Promise.all(holders.map((by) => take(by, 0)));
      expect(taken.filter((won) => won)).toHaveLength(1);
      expect(await take(holders[taken.indexOf(true)] ?? '', 1)).toBe(false);
    });

    it('are separate for each queue and name', async () => {
      expect(await take('a', 0)).toBe(true);
      expect(await take('b', 0, { ...ANN, name: 'usr_bob' })).toBe(true);
      expect(await take('b', 0, { ...ANN, queue: 'push' })).toBe(true);
    });

    it('can be taken by another gate once expired, and then not extended by the first', async () => {
      await take('a', 0);
      expect(await take('b', 29)).toBe(false);
      expect(await take('b', 30)).toBe(true);
      expect(await extend('a', 99)).toBe(false);
      expect(await release('a')).toBe(false);
      expect(await take('c', 59)).toBe(false);
    });

    it('last as long as they are extended, even late if no other gate took them', async () => {
      await take('a', 0);
      expect(await extend('a', 60)).toBe(true);
      expect(await take('b', 59)).toBe(false);
      expect(await extend('a', 120)).toBe(true);
      expect(await take('b', 119)).toBe(false);
    });

    it('can be taken as soon as they are released, and then not extended by the earlier holder', async () => {
      await take('a', 0);
      expect(await release('a')).toBe(true);
      expect(await extend('a', 99)).toBe(false);
      expect(await take('b', 1)).toBe(true);
      expect(await release('a')).toBe(false);
    });

    it('go to only one of several gates that take over at once', async () => {
      await take('a', 0);
      const taken = await Promise.all(['b', 'c', 'd', 'e'].map((by) => take(by, 31)));
      expect(taken.filter((won) => won)).toHaveLength(1);
    });

    it('are deleted some time after their expiry', async () => {
      await take('a', 0);
      await take('a', 0, { ...ANN, name: 'usr_bob' });
      await take('a', 100, { ...ANN, name: 'usr_eve' });
      const clear = (limit: number) => storage().transaction((tx) => tx.deleteOldLeases(at(90), limit));
      expect(await clear(1)).toBe(1);
      expect(await clear(5)).toBe(1);
      expect(await take('b', 101, { ...ANN, name: 'usr_eve' })).toBe(false);
    });
  });
}
