import { describe, expect, it } from 'vitest';
import type { Intent } from '../../../src/gate/intents/intent.ts';
import { fateOf, type PastIntent } from '../../../src/gate/policy-management/simulation/simulation-job.ts';
import type { CurrentStorage } from './conformance.ts';
import { aDenial, anIntent, aProject, at, ODD, ODD_TEXT } from './samples.ts';

function aPastOf(intent: Intent, made: PastIntent['made']): PastIntent {
  const { id, createdAt, agentId, erasedAt, decision, status } = intent;
  const { action, params, metadata, source, sourceType, requester } = intent;
  const { requestedRiskTier, requestedProofTier, approvers, minApprovals } = intent;
  return {
    id,
    createdAt,
    agentId,
    erasedAt,
    made,
    fate: fateOf(decision, status),
    subject: {
      action,
      params,
      metadata,
      source,
      sourceType,
      requester,
      requestedRiskTier,
      requestedProofTier,
      approvers,
      minApprovals,
    },
  };
}

export function describeSimulationReads(storage: CurrentStorage): void {
  const stretch = async (length: number, after: number | null = null, status?: 'denied' | 'resolved') => {
    const filter = status === undefined ? {} : { status };
    const found = await storage().read.listPastIntents('prj_1', { ...filter, after, length });
    return { intents: [...found.intents], next: found.next };
  };

  describe('intents of a simulation', () => {
    it('contain the input of the policy, and the result at the time', async () => {
      const odd = anIntent('int_1', {
        action: 'a.b',
        params: ODD,
        metadata: ODD,
        source: ODD_TEXT,
        sourceType: 'ci',
        agentId: null,
        requester: { type: 'key', id: 'key_1', display: ODD_TEXT, ownerId: 'usr_1' },
        requestedRiskTier: 'critical',
        requestedProofTier: 'device',
        approvers: [],
        minApprovals: 3,
        decision: 'auto_deny',
        rule: ODD_TEXT,
        createdAt: at(7),
      });
      await storage().transaction((tx) => tx.insertIntent(odd));
      const { intents, next } = await stretch(10);
      expect(intents).toEqual([aPastOf(odd, { effect: 'deny', rule: ODD_TEXT })]);
      expect(next).toBeNull();
    });

    it('show whether their texts were erased', async () => {
      const over = anIntent('int_1', { status: 'denied' });
      await storage().transaction((tx) => tx.insertIntent(over));
      await storage().transaction((tx) =>
        tx.eraseIntentTexts(over, [], { ...over, params: {}, metadata: {} }, at(9)),
      );
      expect((await stretch(10)).intents).toMatchObject([
        { id: 'int_1', erasedAt: at(9), subject: { params: {} } },
      ]);
    });

    it('are read for one project, newest first, each once, while others are added', async () => {
      await storage().transaction(async (tx) => {
        await tx.insertProject(aProject({ id: 'prj_2' }));
        for (const id of ['a', 'b', 'c', 'd', 'e']) await tx.insertIntent(anIntent(id));
        await tx.insertIntent(anIntent('x', { projectId: 'prj_2' }));
      });
      const first = await stretch(2);
      await storage().transaction((tx) => tx.insertIntent(anIntent('f')));
      const second = await stretch(2, first.next);
      const third = await stretch(2, second.next);
      const ids = [first, second, third].map(({ intents }) => intents.map(({ id }) => id));
      expect(ids).toEqual([['e', 'd'], ['c', 'b'], ['a']]);
      expect(third.next).toBeNull();
      expect(await storage().read.countPastIntents('prj_1')).toBe(6);
      expect(await storage().read.countPastIntents('prj_3')).toBe(0);
    });

    it('can be limited to one status, or to all that are resolved', async () => {
      await storage().transaction(async (tx) => {
        for (const id of ['a', 'b', 'c']) await tx.insertIntent(anIntent(id));
        await tx.resolveIntent('b', 1, aDenial());
        await tx.expireIntent('c', at(4000));
      });
      expect((await stretch(10, null, 'denied')).intents.map(({ id }) => id)).toEqual(['b']);
      expect((await stretch(10, null, 'resolved')).intents.map(({ id }) => id)).toEqual(['c', 'b']);
      expect(await storage().read.countPastIntents('prj_1', 'denied')).toBe(1);
      expect(await storage().read.countPastIntents('prj_1', 'resolved')).toBe(2);
      expect(await storage().read.countPastIntents('prj_1', 'pending')).toBe(1);
    });
  });
}
