import { describe, expect, it } from 'vitest';
import type { CurrentStorage } from './conformance.ts';
import { aKey, anIntent, aPermit, aProject, aReceipt, at } from './samples.ts';

export function describeRestores(storage: CurrentStorage): void {
  const approved = (id: string, receiptIndex: number, changes = {}) =>
    anIntent(id, {
      status: 'approved',
      resolvedAt: at(10),
      resolvedBy: 'ann@example.org',
      approvedAt: at(10),
      approvedBy: 'ann@example.org',
      permit: aPermit(`pmt_${receiptIndex}`),
      receipt: aReceipt(id),
      receiptIndex,
      ...changes,
    });

  describe('a gate restored from a backup', () => {
    it('revokes every approval of one project that could still be used, once', async () => {
      await storage().transaction(async (tx) => {
        await tx.insertProject(aProject({ id: 'prj_2' }));
        await tx.insertIntent(approved('int_1', 0));
        await tx.insertIntent(approved('int_2', 1));
        await tx.consumeIntent('int_2', 'key_1', at(20));
        await tx.insertIntent(approved('int_3', 2));
        await tx.revokeIntent('int_3', at(30));
        await tx.insertIntent(approved('int_4', 3, { expiresAt: at(50) }));
        await tx.insertIntent(anIntent('int_5'));
        await tx.insertIntent(approved('int_6', 4, { projectId: 'prj_2' }));
      });
      const revoke = () =>
        storage().transaction((tx) =>
          tx.revokeUnusedApprovals('prj_1', { endedBy: at(50), revokedAt: at(99) }),
        );
      expect(await revoke()).toBe(1);
      expect(await revoke()).toBe(0);
      const revokedAt = async (id: string) => (await storage().read.findIntent(id))?.revokedAt;
      expect(
        await Promise.all(['int_1', 'int_2', 'int_3', 'int_4', 'int_5', 'int_6'].map(revokedAt)),
      ).toEqual([at(99), null, at(30), null, null, null]);
    });

    it('counts the pending intents of one project', async () => {
      await storage().transaction(async (tx) => {
        await tx.insertProject(aProject({ id: 'prj_2' }));
        await tx.insertIntent(anIntent('int_1'));
        await tx.insertIntent(anIntent('int_2'));
        await tx.insertIntent(approved('int_3', 0));
        await tx.insertIntent(anIntent('int_4', { projectId: 'prj_2' }));
      });
      expect(await storage().read.countPendingIntents('prj_1')).toBe(2);
      expect(await storage().read.countPendingIntents('prj_3')).toBe(0);
    });

    it('gives out places of the status list from a given place on, and never goes back', async () => {
      const next = () => storage().transaction((tx) => tx.reserveReceiptIndexes(10));
      const skip = (index: number) => storage().transaction((tx) => tx.skipToReceiptIndex(index));
      await skip(5000);
      expect(await next()).toBe(5000);
      await skip(4000);
      expect(await next()).toBe(5010);
      await skip(2 ** 47);
      expect(await next()).toBe(2 ** 47);
    });

    it('lists the valid keys of all projects, including user tokens', async () => {
      await storage().transaction(async (tx) => {
        await tx.insertKey(aKey('key_1', { expiresAt: null }));
        await tx.insertKey(aKey('key_2', { expiresAt: at(100) }));
        await tx.insertKey(aKey('key_3', { expiresAt: at(101) }));
        await tx.insertKey(aKey('key_4', { revokedAt: at(1) }));
        await tx.insertKey(aKey('key_5', { projectId: null, kind: 'user' }));
      });
      expect(await storage().read.listKeyIdsInForce(at(100))).toEqual(['key_1', 'key_3', 'key_5']);
    });
  });
}
