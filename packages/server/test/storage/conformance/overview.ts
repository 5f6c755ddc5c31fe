import { beforeEach, describe, expect, it } from 'vitest';
import type { CurrentStorage } from './conformance.ts';
import { aDenial, anApproval, anIntent, aProject, at } from './samples.ts';

const NOWHERE = Number.MAX_SAFE_INTEGER;

export function describeOverviewReads(storage: CurrentStorage): void {
  describe('the storage of an overview', () => {
    beforeEach(async () => {
      await storage().transaction(async (tx) => {
        await tx.insertProject(aProject({ id: 'prj_2' }));
        await tx.insertIntent(anIntent('int_1', { action: 'a', expiresAt: at(50) }));
        await tx.insertIntent(anIntent('int_2', { action: 'b', expiresAt: at(40), rule: 'big' }));
        await tx.insertIntent(anIntent('int_3', { projectId: 'prj_2', expiresAt: at(40) }));
        await tx.insertIntent(anIntent('int_4', { action: 'd', expiresAt: at(40) }));
        await tx.insertIntent(anIntent('int_5', { action: 'e', expiresAt: at(30) }));
        await tx.insertIntent(anIntent('int_6', { action: 'f', createdAt: at(6) }));
        await tx.resolveIntent('int_6', 1, anApproval('int_6', 'pmt_6'));
        await tx.insertIntent(anIntent('int_7', { action: 'g', createdAt: at(7) }));
        await tx.resolveIntent('int_7', 1, aDenial(20));
      });
    });

    const position = (id: string) => storage().read.findIntentPosition(id);

    it('counts intents by status between two positions', async () => {
      const { read } = storage();
      const [first, fourth, end] = [
        await position('int_1'),
        await position('int_4'),
        await position('int_8'),
      ];
      expect(await read.countIntents('prj_1', 'pending', first, end)).toBe(4);
      expect(await read.countIntents('prj_1', 'pending', fourth, end)).toBe(2);
      expect(await read.countIntents('prj_1', 'pending', first, fourth)).toBe(2);
      expect(await read.countIntents('prj_1', 'approved', first, end)).toBe(1);
      expect(await read.countIntents('prj_1', 'expired', first, end)).toBe(0);
      expect(await read.countIntents('prj_2', 'pending', first, end)).toBe(1);
      expect(await read.countIntents('prj_9', 'pending', first, end)).toBe(0);
    });

    it('takes the position of the next existing ID, or the one after the last', async () => {
      expect(await position('int_')).toBe(await position('int_1'));
      expect(await position('int_35')).toBe(await position('int_4'));
      expect(await position('int_8')).toBeGreaterThan(await position('int_7'));
      expect(await position('int_9')).toBe(await position('int_8'));
    });

    it('reads intents newest first, in stretches, whatever their status', async () => {
      const { read } = storage();
      const from = await position('int_2');
      const first = await read.listOverviewIntents('prj_1', { from, before: NOWHERE, length: 2 });
      expect(first.intents).toEqual([
        {
          status: 'denied',
          decision: 'require_approval',
          rule: null,
          requester: { type: 'agent', id: 'agt_1', display: 'refund bot' },
          agentId: 'agt_1',
          source: null,
          createdAt: at(7),
          resolvedAt: at(20),
          resolvedBy: 'ben@example.org',
          approvals: [],
        },
        expect.objectContaining({
          status: 'approved',
          createdAt: at(6),
          approvals: [{ by: 'ann@example.org', at: at(10), method: 'session' }],
        }),
      ]);
      const before = first.next ?? 0;
      const rest = await read.listOverviewIntents('prj_1', { from, before, length: 10 });
      expect(rest.intents.map(({ rule }) => rule)).toEqual([null, null, 'big']);
      expect(rest.next).toBeNull();
      expect(await read.listOverviewIntents('prj_9', { from: 0, before: NOWHERE, length: 2 })).toEqual({
        intents: [],
        next: null,
      });
    });

    it('reads the pending intents that expire soonest, after a given expiry and position', async () => {
      const { read } = storage();
      const expiring = (expiresAt: string, length: number, after = NOWHERE) =>
        read.listExpiringIntents('prj_1', { after: { expiresAt, position: after }, length });
      const all = await expiring(at(0), 10);
      expect(all.intents.map(({ action }) => action)).toEqual(['e', 'b', 'd', 'a']);
      expect(all.intents[0]).toEqual({
        id: 'int_5',
        action: 'e',
        riskTier: 'high',
        expiresAt: at(30),
        approvalsReceived: 0,
        approvalsRequired: 1,
      });
      expect(all.next).toBeNull();
      expect((await expiring(at(40), 10)).intents.map(({ id }) => id)).toEqual(['int_1']);
      // This page reads two rows, one of which belongs to another project.
      const some = await expiring(at(30), 2);
      expect(some.intents.map(({ id }) => id)).toEqual(['int_2']);
      expect(some.next).toEqual({ expiresAt: at(40), position: await position('int_3') });
      const next = await expiring(at(40), 2, some.next?.position);
      expect(next.intents.map(({ id }) => id)).toEqual(['int_4', 'int_1']);
    });
  });
}
