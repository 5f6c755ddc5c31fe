import { describe, expect, it } from 'vitest';
import type { CurrentStorage } from './conformance.ts';
import { anAgent, anIntent, aPermit, aReceipt, at } from './samples.ts';

export function describeReceiptStatus(storage: CurrentStorage): void {
  describe('the storage of receipt status', () => {
    it('counts changes, except those of an undone transaction', async () => {
      expect(await storage().read.findReceiptStatusRevision()).toBe(0);
      await storage().transaction((tx) => tx.bumpReceiptStatusRevision());
      await storage().transaction((tx) => tx.bumpReceiptStatusRevision());
      expect(await storage().read.findReceiptStatusRevision()).toBe(2);
      const undone = storage().transaction(async (tx) => {
        await tx.bumpReceiptStatusRevision();
        throw new Error('undone');
      });
      await expect(undone).rejects.toThrow('undone');
      expect(await storage().read.findReceiptStatusRevision()).toBe(2);
    });

    it('counts the places of the status list that were given out', async () => {
      expect(await storage().read.countReceiptIndexes()).toBe(0);
      await storage().transaction((tx) => tx.reserveReceiptIndexes(1024));
      expect(await storage().read.countReceiptIndexes()).toBe(1024);
    });

    it('finds receipts and revoked receipts within a range', async () => {
      await storage().transaction(async (tx) => {
        for (const index of [5, 6, 9, 10]) await tx.insertIntent(approvedAt(index, 'agt_1'));
        for (const index of [5, 9, 10]) await tx.revokeIntent(`int_${index}`, at(9));
      });
      expect(inOrder(await storage().read.listReceiptIndexes(5, 10))).toEqual([5, 6, 9]);
      expect(await storage().read.hasReceipts(7, 10)).toBe(true);
      expect(await storage().read.hasReceipts(7, 9)).toBe(false);
      expect(inOrder(await storage().read.listRevokedReceipts(5, 10))).toEqual([5, 9]);
      expect(await storage().read.listRevokedReceipts(6, 9)).toEqual([]);
    });

    it('finds receipts by the key that signed them, including erased ones', async () => {
      const signedBy = (index: number, kid: string) => {
        const intent = approvedAt(index, 'agt_1');
        return { ...intent, receipt: aReceipt(intent.id, kid) };
      };
      const erased = signedBy(6, 'stolen');
      await storage().transaction(async (tx) => {
        await tx.insertIntent(signedBy(5, 'stolen'));
        await tx.insertIntent(erased);
        await tx.insertIntent(signedBy(7, 'good'));
        await tx.insertIntent(signedBy(9, 'stolen'));
        await tx.eraseIntentTexts(erased, [], erased, at(9));
      });
      expect(inOrder(await storage().read.listReceiptsSignedBy('stolen', 5, 9))).toEqual([5, 6]);
      expect(await storage().read.listReceiptsSignedBy('other', 5, 9)).toEqual([]);
    });

    it('finds inactive agents, and their receipts within a range', async () => {
      await storage().transaction(async (tx) => {
        for (const id of ['agt_1', 'agt_2', 'agt_3']) await tx.insertAgent(anAgent(id));
        await tx.insertIntent(anIntent('int_1', { agentId: 'agt_2' }));
        for (const [index, agentId] of [
          [1, 'agt_1'],
          [2, 'agt_2'],
          [3, 'agt_3'],
          [4, null],
          [5, 'agt_2'],
        ] as const) {
          await tx.insertIntent(approvedAt(index + 10, agentId));
        }
      });
      expect(await storage().read.listInactiveAgents()).toEqual([]);
      expect(await storage().read.listReceiptsOfInactiveAgents(0, 100)).toEqual([]);
      await storage().transaction(async (tx) => {
        await tx.setAgentStatus('agt_2', ['active'], 'paused');
        await tx.setAgentStatus('agt_3', ['active'], 'revoked');
      });
      const suspended = [...(await storage().read.listInactiveAgents())].sort((a, b) =>
        a.id.localeCompare(b.id),
      );
      expect(suspended).toEqual([
        { id: 'agt_2', status: 'paused' },
        { id: 'agt_3', status: 'revoked' },
      ]);
      const receipts = await storage().read.listReceiptsOfInactiveAgents(12, 15);
      expect(receipts.toSorted((a, b) => a.receiptIndex - b.receiptIndex)).toEqual([
        { receiptIndex: 12, agentId: 'agt_2' },
        { receiptIndex: 13, agentId: 'agt_3' },
      ]);
    });
  });
}

/** The storage returns the indexes as a set, in no order. */
const inOrder = (indexes: readonly number[]) => indexes.toSorted((a, b) => a - b);

function approvedAt(receiptIndex: number, agentId: string | null) {
  const id = `int_${receiptIndex}`;
  return anIntent(id, {
    agentId,
    status: 'approved',
    permit: aPermit(`pmt_${receiptIndex}`),
    receipt: aReceipt(id),
    receiptIndex,
  });
}
