import { beforeEach, describe, expect, it } from 'vitest';
import type { IntentFilter } from '../../../src/gate/intents/intent.ts';
import type { CurrentStorage } from './conformance.ts';
import { aDenial, anAgent, anApproval, anIntent, aProject, at } from './samples.ts';

const OTHER = { type: 'agent', id: 'agt_2', display: 'other bot', ownerId: null } as const;

export function describeIntentLists(storage: CurrentStorage): void {
  describe('lists of intents', () => {
    // Ids are assigned against the order of creation, so that the list can only follow that order.
    beforeEach(async () => {
      await storage().transaction(async (tx) => {
        await tx.insertProject(aProject({ id: 'prj_2' }));
        await tx.insertAgent(anAgent(OTHER.id));
        await tx.insertIntent(anIntent('int_9', { expiresAt: at(50) }));
        await tx.insertIntent(anIntent('int_8', { requester: OTHER, agentId: OTHER.id, expiresAt: at(40) }));
        await tx.insertIntent(anIntent('int_7', { projectId: 'prj_2' }));
        await tx.insertIntent(anIntent('int_6', { expiresAt: at(30) }));
        await tx.insertIntent(anIntent('int_5', { requester: OTHER, agentId: OTHER.id }));
        await tx.resolveIntent('int_8', 1, anApproval('int_8', 'pmt_8'));
        await tx.resolveIntent('int_6', 1, aDenial());
      });
    });

    const list = async (filter: Partial<IntentFilter> = {}) => {
      const found = await storage().read.listIntents({ projectIds: ['prj_1'], limit: 50, ...filter });
      return found.map((intent) => intent.id);
    };

    it('contain the intents of the given projects only, newest first', async () => {
      expect(await list()).toEqual(['int_5', 'int_6', 'int_8', 'int_9']);
      expect(await list({ projectIds: ['prj_2'] })).toEqual(['int_7']);
      expect(await list({ projectIds: ['prj_1', 'prj_2'] })).toEqual([
        'int_5',
        'int_6',
        'int_7',
        'int_8',
        'int_9',
      ]);
      expect(await list({ projectIds: [] })).toEqual([]);
    });

    it('leave out the permits, unless whole intents are requested', async () => {
      const approved = { projectIds: ['prj_1'], status: 'approved', limit: 1 } as const;
      const whole = await storage().read.findIntent('int_8');
      expect(whole?.permit?.id).toBe('pmt_8');
      expect(await storage().read.listWholeIntents(approved)).toEqual([whole]);
      const [listed] = await storage().read.listIntents(approved);
      expect(listed).not.toHaveProperty('permit');
      expect(whole).toMatchObject(listed ?? {});
    });

    it('can be limited to one status, or to all but pending ones', async () => {
      expect(await list({ status: 'pending' })).toEqual(['int_5', 'int_9']);
      expect(await list({ status: 'approved' })).toEqual(['int_8']);
      expect(await list({ status: 'denied' })).toEqual(['int_6']);
      expect(await list({ status: 'expired' })).toEqual([]);
      expect(await list({ status: 'resolved' })).toEqual(['int_6', 'int_8']);
    });

    it('can be limited to one agent', async () => {
      expect(await list({ agentId: 'agt_2' })).toEqual(['int_5', 'int_8']);
      expect(await list({ agentId: 'agt_2', status: 'resolved' })).toEqual(['int_8']);
      expect(await list({ agentId: 'agt_3' })).toEqual([]);
    });

    it('continue where a page ended, also across projects, while intents are added', async () => {
      const projectIds = ['prj_1', 'prj_2'];
      expect(await list({ projectIds, limit: 2 })).toEqual(['int_5', 'int_6']);
      await storage().transaction((tx) => tx.insertIntent(anIntent('int_4')));
      expect(await list({ projectIds, limit: 2, beforeId: 'int_6' })).toEqual(['int_7', 'int_8']);
      expect(await list({ projectIds, limit: 2, beforeId: 'int_8' })).toEqual(['int_9']);
      expect(await list({ projectIds, limit: 2, beforeId: 'int_9' })).toEqual([]);
      expect(await list({ beforeId: 'int_unknown' })).toEqual([]);
    });

    it('contain the due intents, earliest first, and the time of the next expiry', async () => {
      await storage().transaction((tx) => tx.insertIntent(anIntent('int_3', { expiresAt: at(20) })));
      const due = async (when: string, limit = 10) =>
        (await storage().read.listDueIntents(when, limit)).map(({ id }) => id);
      expect(await due(at(19))).toEqual([]);
      expect(await due(at(50))).toEqual(['int_3', 'int_9']);
      expect(await due(at(50), 1)).toEqual(['int_3']);
      expect(await storage().read.findNextExpiry()).toBe(at(20));
      await storage().transaction((tx) => tx.expireIntent('int_3', at(50)));
      expect(await storage().read.findNextExpiry()).toBe(at(50));
    });

    it('offer due intents to every gate that would expire them, but each expires only once', async () => {
      await storage().transaction((tx) => tx.insertIntent(anIntent('int_3', { expiresAt: at(20) })));
      const expireDue = (limit: number) =>
        storage().transaction(
          async (tx) => {
            const claimed = await tx.claimDueIntents(at(50), limit);
            const expired = await Promise.all(claimed.map(({ id }) => tx.expireIntent(id, at(50))));
            return claimed.filter((_, index) => expired[index]).map(({ id }) => id);
          },
          { guarded: true },
        );
      expect(await storage().transaction((tx) => tx.claimDueIntents(at(19), 10))).toEqual([]);
      const claimed = await Promise.all([expireDue(1), expireDue(1), expireDue(1)]);
      const left = await expireDue(10);
      expect([...claimed.flat(), ...left].toSorted()).toEqual(['int_3', 'int_9']);
      expect(await expireDue(10)).toEqual([]);
    });

    it('show which of many intents are no longer pending', async () => {
      await storage().transaction((tx) => tx.expireIntent('int_9', at(9999)));
      const ids = ['int_5', 'int_6', 'int_9', 'int_unknown', 'int_"},{"', ''];
      expect((await storage().read.listResolved(ids)).toSorted()).toEqual(['int_6', 'int_9']);
      expect(await storage().read.listResolved([])).toEqual([]);
      const many = Array.from({ length: 1000 }, (_, index) => `int_${String(index).padStart(26, '0')}`);
      expect(await storage().read.listResolved([...many, 'int_9'])).toEqual(['int_9']);
    });

    it('show no next expiry when no intent is pending', async () => {
      await storage().transaction(async (tx) => {
        for (const id of ['int_5', 'int_7', 'int_9']) await tx.expireIntent(id, at(9999));
      });
      expect(await storage().read.findNextExpiry()).toBeUndefined();
      expect(await storage().read.listDueIntents(at(99_999), 10)).toEqual([]);
    });
  });
}
