import { beforeEach, describe, expect, it } from 'vitest';
import type { BriefFilter, UrgentFilter } from '../../../src/gate/inbox/inbox.ts';
import type { CurrentStorage } from './conformance.ts';
import { aDenial, anApproval, anIntent, aProject, at } from './samples.ts';

export function describeInbox(storage: CurrentStorage): void {
  describe('summaries of intents', () => {
    beforeEach(async () => {
      await storage().transaction(async (tx) => {
        await tx.insertProject(aProject({ id: 'prj_2' }));
        await tx.insertIntent(anIntent('int_1', { createdAt: at(0) }));
        await tx.insertIntent(anIntent('int_2', { createdAt: at(10) }));
        await tx.insertIntent(anIntent('int_3', { createdAt: at(10), projectId: 'prj_2' }));
        await tx.insertIntent(anIntent('int_4', { createdAt: at(20) }));
        await tx.insertIntent(anIntent('int_5', { createdAt: at(30) }));
        await tx.resolveIntent('int_1', 1, anApproval('int_1', 'pmt_1'));
        await tx.resolveIntent('int_4', 1, aDenial());
      });
    });

    const list = async (filter: Partial<BriefFilter> = {}) => {
      const found = await storage().read.listIntentBriefs({
        projectIds: ['prj_1'],
        status: 'pending',
        limit: 50,
        ...filter,
      });
      return found.map(({ id }) => id);
    };

    it('are listed newest first, for the given projects, in one status or in all but pending', async () => {
      expect(await list()).toEqual(['int_5', 'int_2']);
      expect(await list({ projectIds: ['prj_1', 'prj_2'] })).toEqual(['int_5', 'int_3', 'int_2']);
      expect(await list({ projectIds: [] })).toEqual([]);
      expect(await list({ status: 'resolved' })).toEqual(['int_4', 'int_1']);
      expect(await list({ status: 'denied' })).toEqual(['int_4']);
    });

    it('are listed from a cursor on, and reveal nothing about a foreign one', async () => {
      const both = { projectIds: ['prj_1', 'prj_2'], limit: 1 };
      expect(await list(both)).toEqual(['int_5']);
      expect(await list({ ...both, beforeId: 'int_5' })).toEqual(['int_3']);
      expect(await list({ ...both, beforeId: 'int_3' })).toEqual(['int_2']);
      expect(await list({ beforeId: 'int_3' })).toEqual([]);
      expect(await list({ beforeId: 'int_9' })).toEqual([]);
    });

    it('can be limited to a span of time that includes its start and excludes its end', async () => {
      const all = { projectIds: ['prj_1', 'prj_2'] };
      expect(await list({ ...all, from: at(10) })).toEqual(['int_5', 'int_3', 'int_2']);
      expect(await list({ ...all, from: at(11) })).toEqual(['int_5']);
      expect(await list({ ...all, to: at(30) })).toEqual(['int_3', 'int_2']);
      expect(await list({ ...all, from: at(10), to: at(11), beforeId: 'int_3' })).toEqual(['int_2']);
      expect(await list({ ...all, from: at(31) })).toEqual([]);
      expect(await list({ ...all, to: at(0) })).toEqual([]);
      expect(await list({ status: 'resolved', from: at(0), to: at(20) })).toEqual(['int_1']);
    });

    it('contain the fields that filters use', async () => {
      const [brief] = await storage().read.listIntentBriefs({
        projectIds: ['prj_1'],
        status: 'approved',
        limit: 5,
      });
      expect(brief).toEqual({
        id: 'int_1',
        projectId: 'prj_1',
        status: 'approved',
        action: 'payments.refund',
        source: null,
        riskTier: 'high',
        requesterDisplay: 'refund bot',
        createdAt: at(0),
        expiresAt: at(3600),
        resolvedBy: 'ann@example.org',
        approvals: [{ by: 'ann@example.org', at: at(10), method: 'session' }],
        paramsBytes: Buffer.byteLength(JSON.stringify(anIntent('int_1').params)),
      });
    });

    it('are listed by expiry or by risk while pending, from any cursor on', async () => {
      await storage().transaction(async (tx) => {
        await tx.insertIntent(anIntent('int_6', { expiresAt: at(60), riskTier: 'low' }));
        await tx.insertIntent(
          anIntent('int_7', { expiresAt: at(60), riskTier: 'critical', projectId: 'prj_2' }),
        );
        await tx.insertIntent(anIntent('int_8', { expiresAt: at(30), riskTier: 'medium' }));
      });
      const both = ['prj_1', 'prj_2'];
      const urgent = async (filter: Partial<UrgentFilter>) => {
        const found = await storage().read.listUrgentBriefs({
          projectIds: both,
          order: 'expiring',
          limit: 50,
          ...filter,
        });
        return found.map(({ id }) => id);
      };
      // With the same risk and the same expiry, the older one is first.
      const orders = {
        expiring: ['int_8', 'int_6', 'int_7', 'int_2', 'int_3', 'int_5'],
        risk: ['int_7', 'int_2', 'int_3', 'int_5', 'int_8', 'int_6'],
      };
      for (const [order, all] of Object.entries(orders) as [UrgentFilter['order'], string[]][]) {
        expect(await urgent({ order })).toEqual(all);
        expect(await urgent({ order, limit: 2 })).toEqual(all.slice(0, 2));
        for (const [index, afterId] of all.entries())
          expect(await urgent({ order, afterId }), afterId).toEqual(all.slice(index + 1));
      }
      expect(await urgent({ projectIds: ['prj_2'] })).toEqual(['int_7', 'int_3']);
      expect(await urgent({ projectIds: [] })).toEqual([]);
      expect(await urgent({ projectIds: ['prj_1'], afterId: 'int_7' })).toEqual([]);
      await storage().transaction((tx) => tx.resolveIntent('int_6', 1, aDenial()));
      expect(await urgent({ afterId: 'int_6' })).toEqual(['int_7', 'int_2', 'int_3', 'int_5']);
    });

    it('have their parameters read separately by ID, for a search', async () => {
      const found = await storage().read.readParams(['int_2', 'int_9', 'int_1']);
      const params = JSON.stringify(anIntent('int_1').params);
      expect([...found]).toEqual([
        ['int_2', params],
        ['int_1', params],
      ]);
      expect(await storage().read.readParams([])).toEqual(new Map());
    });

    it('are counted while pending, up to a limit', async () => {
      const count = (projectIds: string[], most = 10) => storage().read.countInbox(projectIds, most);
      expect(await count(['prj_1'])).toBe(2);
      expect(await count(['prj_1', 'prj_2'])).toBe(3);
      expect(await count(['prj_1', 'prj_2'], 2)).toBe(2);
      expect(await count([])).toBe(0);
    });
  });
}
