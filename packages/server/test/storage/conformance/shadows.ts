import { describe, expect, it } from 'vitest';
import { groupKey } from '../../../src/gate/policy-management/comparison/difference-tally.ts';
import type {
  ShadowDivergence,
  ShadowFindings,
  ShadowPolicy,
} from '../../../src/gate/policy-management/shadow/shadow-policy.ts';
import type { CurrentStorage } from './conformance.ts';
import { aProject, at, ODD, ODD_TEXT } from './samples.ts';

function aShadow(changes: Partial<ShadowPolicy> = {}): ShadowPolicy {
  return {
    projectId: 'prj_1',
    hash: 'sha256:aa',
    document: { name: 'shadow', odd: ODD },
    since: at(0),
    createdBy: 'owner@example.org',
    evaluated: 0,
    diverged: 0,
    ...changes,
  };
}

function aDivergence(intentId: string): ShadowDivergence {
  return {
    intentId,
    at: at(1),
    inForce: { effect: 'allow', rule: ODD_TEXT },
    shadow: { effect: 'allow', rule: null },
    direction: 'looser',
    terms: ['risk_tier', 'permit_ttl'],
  };
}

function findings(...intentIds: string[]): ShadowFindings {
  const { inForce, shadow, ...change } = aDivergence('x');
  const count = {
    kind: 'divergence' as const,
    name: groupKey(inForce, shadow, change),
    count: intentIds.length,
  };
  return {
    evaluated: 10,
    diverged: intentIds.length,
    counts: [count, { kind: 'failure', name: ODD_TEXT, count: 1 }],
    divergences: intentIds.map(aDivergence),
  };
}

const KEEP = { divergences: 3, counts: 5 };

export function describeShadows(storage: CurrentStorage): void {
  const put = (shadow: ShadowPolicy) => storage().transaction((tx) => tx.replaceShadow(shadow));
  const add = (found: ShadowFindings, { hash = 'sha256:aa', keep = KEEP } = {}) =>
    storage().transaction((tx) => tx.addShadowFindings('prj_1', hash, found, keep));
  const listed = async (page: { before?: number; limit: number } = { limit: 10 }) =>
    storage().read.listShadowDivergences('prj_1', page);

  describe('the storage of shadow policies', () => {
    it('adds up the findings of several gates at once, including first occurrences', async () => {
      await put(aShadow());
      await Promise.all(Array.from({ length: 6 }, (_, n) => add(findings(`int_${n}`))));
      expect(await storage().read.findShadow('prj_1')).toMatchObject({ evaluated: 60, diverged: 6 });
      const counts = await storage().read.listShadowCounts('prj_1');
      expect(counts.map(({ count }) => count)).toEqual([6, 6]);
      expect(await listed()).toHaveLength(KEEP.divergences);
    });

    it('keeps every field, for one project only', async () => {
      await put(aShadow());
      expect(await storage().read.findShadow('prj_1')).toEqual(aShadow());
      expect(await storage().read.findShadow('prj_2')).toBeUndefined();
    });

    it('adds up the results, and lists differences newest first', async () => {
      await put(aShadow());
      expect(await add(findings('a', 'b'))).toBe(true);
      expect(await add(findings('c'))).toBe(true);
      expect(await storage().read.findShadow('prj_1')).toMatchObject({ evaluated: 20, diverged: 3 });
      const name = findings('x').counts[0]?.name;
      expect(await storage().read.listShadowCounts('prj_1')).toEqual([
        { kind: 'divergence', name, count: 3 },
        { kind: 'failure', name: ODD_TEXT, count: 2 },
      ]);
      const divergences = await listed();
      expect(divergences.map(({ position: _, ...divergence }) => divergence)).toEqual(
        ['c', 'b', 'a'].map(aDivergence),
      );
      const [, second] = divergences;
      const before = second?.position ?? 0;
      expect((await listed({ before, limit: 10 })).map(({ intentId }) => intentId)).toEqual(['a']);
      expect((await listed({ limit: 1 })).map(({ intentId }) => intentId)).toEqual(['c']);
    });

    it('keeps the newest differences of each project', async () => {
      await storage().transaction(async (tx) => {
        await tx.insertProject(aProject({ id: 'prj_2' }));
        await tx.replaceShadow(aShadow());
        await tx.replaceShadow(aShadow({ projectId: 'prj_2' }));
        await tx.addShadowFindings('prj_2', 'sha256:aa', findings('x'), KEEP);
      });
      for (const ids of [['a', 'b'], ['c', 'd'], ['e']]) await add(findings(...ids));
      expect((await listed()).map(({ intentId }) => intentId)).toEqual(['e', 'd', 'c']);
      expect(await storage().read.listShadowDivergences('prj_2', { limit: 10 })).toHaveLength(1);
    });

    it('keeps a limited number of counts, and adds only to those', async () => {
      await put(aShadow());
      const named = (...names: string[]): ShadowFindings => ({
        evaluated: 1,
        diverged: 0,
        counts: names.map((name) => ({ kind: 'failure', name, count: 1 })),
        divergences: [],
      });
      await add(named('a', 'b', 'c'), { keep: { divergences: 1, counts: 4 } });
      await add(named('d', 'e', 'a'), { keep: { divergences: 1, counts: 4 } });
      expect(await storage().read.listShadowCounts('prj_1')).toEqual([
        { kind: 'failure', name: 'a', count: 2 },
        ...['b', 'c', 'd'].map((name) => ({ kind: 'failure', name, count: 1 })),
      ]);
      await add(named('B'));
      const last = (await storage().read.listShadowCounts('prj_1')).slice(1);
      // Equal counts are in the byte order of the names.
      expect(last.map(({ name }) => name)).toEqual(['B', 'b', 'c', 'd']);
    });

    it('deletes the results of a replaced policy, and accepts no more of them', async () => {
      await put(aShadow());
      await add(findings('a'));
      await put(aShadow({ hash: 'sha256:bb' }));
      expect(await add(findings('b'))).toBe(false);
      expect(await storage().read.findShadow('prj_1')).toEqual(aShadow({ hash: 'sha256:bb' }));
      expect(await storage().read.listShadowCounts('prj_1')).toEqual([]);
      expect(await listed()).toEqual([]);
    });

    it('deletes a shadow policy with all its results, once', async () => {
      await put(aShadow());
      await add(findings('a'));
      const remove = () => storage().transaction((tx) => tx.removeShadow('prj_1'));
      expect(await remove()).toBe(true);
      expect(await remove()).toBe(false);
      expect(await storage().read.findShadow('prj_1')).toBeUndefined();
      expect(await listed()).toEqual([]);
      expect(await add(findings('b'))).toBe(false);
    });
  });
}
