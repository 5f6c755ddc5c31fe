import { beforeEach, describe, expect, it } from 'vitest';
import type { AuditEvent, AuditFilter, Seal } from '../../gate/audit/audit-event.ts';
import type { CurrentStorage } from '../conformance.ts';
import { anEvent, anIntent, aProject, at, ODD, ODD_TEXT } from './samples.ts';

const hashOf = (seq: number) => `sha256:${String(seq).padStart(64, '0')}`;
const placeOf = (seq: number) => ({ seq, prevHash: hashOf(seq - 1), hash: hashOf(seq) });

/** A seal of so many records from `firstSeq` on. */
const aSeal = (projectId: string, firstSeq: number, count: number): Seal => ({
  projectId,
  firstSeq,
  prevHash: hashOf(firstSeq - 1),
  hashes: Array.from({ length: count }, (_, index) => hashOf(firstSeq + index)),
});

const aHead = (projectId: string, seq: number) => ({
  projectId,
  seq,
  hash: hashOf(seq),
  sealedAt: at(seq),
  jws: `a.${seq}.c`,
});

export function describeAudit(storage: CurrentStorage): void {
  const insert = (...events: AuditEvent[]) =>
    storage().transaction(async (tx) => {
      for (const event of events) await tx.insertEvent(event);
    });

  /** Seals whatever of the project is not sealed yet, from `first` on. */
  const sealAll = (projectId: string, first = 1) =>
    storage().transaction(async (tx) => {
      const { length } = await tx.listUnsealedEvents(projectId, first - 1, 1000);
      await tx.insertSeal(aSeal(projectId, first, length));
      await tx.saveChainHead(aHead(projectId, first - 1 + length));
    });

  describe('events', () => {
    beforeEach(() => storage().transaction((tx) => tx.insertProject(aProject({ id: 'prj_2' }))));

    it('keeps all of an event, with its place in the chain', async () => {
      const odd = anEvent('evt_1', {
        type: 'intent.denied',
        occurredAt: at(7),
        actor: { type: 'user', id: 'usr_1', display: ODD_TEXT },
        intentId: 'int_1',
        data: ODD,
        commitments: {
          '/data/reason': { digest: 'sha256:dd', salt: 'salt' },
          '/actor/display': { digest: 'sha256:ee', salt: null },
        },
      });
      await insert(odd);
      await sealAll('prj_1');
      expect(await storage().read.listSealedEvents({ projectId: 'prj_1', order: 'asc', limit: 10 })).toEqual([
        { ...odd, ...placeOf(1) },
      ]);
    });

    it('have their place in the order in which they were committed, without gaps, in each project', async () => {
      await Promise.all(
        Array.from({ length: 40 }, (_, index) =>
          insert(anEvent(`evt_${index}`, { occurredAt: at(100 - index) })),
        ),
      );
      await insert(anEvent('evt_x', { projectId: 'prj_2' }));
      const unsealed = await storage().read.listUnsealedEvents('prj_1', 0, 100);
      expect(unsealed).toEqual(
        Array.from({ length: 40 }, (_, index) => ({ seq: index + 1, eventHash: `sha256:evt_${index}` })),
      );
      expect(await storage().read.listUnsealedEvents('prj_1', 0, 3)).toEqual(unsealed.slice(0, 3));
      expect(await storage().read.listUnsealedEvents('prj_1', 38, 3)).toEqual(unsealed.slice(38));
      expect(await storage().read.listUnsealedEvents('prj_2', 0, 3)).toEqual([
        { seq: 1, eventHash: 'sha256:evt_x' },
      ]);
    });

    it('leave no gap where a transaction was undone', async () => {
      await insert(anEvent('evt_1'));
      const undone = storage().transaction(async (tx) => {
        await tx.insertEvent(anEvent('evt_2'));
        throw new Error('undone');
      });
      await expect(undone).rejects.toThrow('undone');
      await insert(anEvent('evt_3'));
      const unsealed = await storage().read.listUnsealedEvents('prj_1', 0, 3);
      expect(unsealed.map(({ seq, eventHash }) => [seq, eventHash])).toEqual([
        [1, 'sha256:evt_1'],
        [2, 'sha256:evt_3'],
      ]);
    });

    it('are counted while unsealed, and their projects known', async () => {
      expect(await storage().read.listUnsealedProjects()).toEqual([]);
      await insert(anEvent('evt_1'), anEvent('evt_2'), anEvent('evt_3', { projectId: 'prj_2' }));
      expect(await storage().read.countUnsealedEvents('prj_1')).toBe(2);
      expect((await storage().read.listUnsealedProjects()).toSorted()).toEqual(['prj_1', 'prj_2']);
      await sealAll('prj_1');
      expect(await storage().read.countUnsealedEvents('prj_1')).toBe(0);
      expect(await storage().read.listUnsealedProjects()).toEqual(['prj_2']);
    });

    it('are shown only once sealed', async () => {
      await insert(anEvent('evt_1'));
      const list = () => storage().read.listSealedEvents({ projectId: 'prj_1', order: 'asc', limit: 10 });
      expect(await list()).toEqual([]);
      await sealAll('prj_1');
      expect(await list()).toHaveLength(1);
    });

    it('are sealed once, one stretch right after the other', async () => {
      await insert(anEvent('evt_1'), anEvent('evt_2'), anEvent('evt_3', { projectId: 'prj_2' }));
      const seal = (of: Seal) => storage().transaction((tx) => tx.insertSeal(of));
      await expect(seal(aSeal('prj_1', 2, 1))).rejects.toThrow(/does not follow/);
      await seal(aSeal('prj_1', 1, 1));
      await seal(aSeal('prj_2', 1, 1));
      await expect(seal(aSeal('prj_1', 1, 1))).rejects.toThrow(/does not follow/);
      await expect(seal(aSeal('prj_1', 1, 2))).rejects.toThrow(/does not follow/);
      await expect(seal(aSeal('prj_1', 3, 1))).rejects.toThrow(/does not follow/);
      await seal(aSeal('prj_1', 2, 1));
      const listed = await storage().read.listSealedEvents({ projectId: 'prj_1', order: 'desc', limit: 9 });
      expect(listed.map(({ seq, prevHash, hash }) => ({ seq, prevHash, hash }))).toEqual([
        placeOf(2),
        placeOf(1),
      ]);
    });

    it('have one head of the chain per project', async () => {
      expect(await storage().read.findChainHead('prj_1')).toBeUndefined();
      await storage().transaction(async (tx) => {
        await tx.saveChainHead(aHead('prj_1', 1));
        await tx.saveChainHead(aHead('prj_2', 5));
        await tx.saveChainHead(aHead('prj_1', 2));
      });
      expect(await storage().read.findChainHead('prj_1')).toEqual(aHead('prj_1', 2));
      expect(await storage().read.findChainHead('prj_2')).toEqual(aHead('prj_2', 5));
    });
  });

  describe('lists of events', () => {
    beforeEach(async () => {
      await storage().transaction(async (tx) => {
        await tx.insertProject(aProject({ id: 'prj_2' }));
        await tx.insertIntent(anIntent('int_1'));
        await tx.insertIntent(anIntent('int_2'));
        await tx.insertIntent(anIntent('int_3', { projectId: 'prj_2' }));
      });
      await insert(
        anEvent('evt_1', { occurredAt: at(1), intentId: 'int_1' }),
        anEvent('evt_2', { occurredAt: at(2), intentId: 'int_2' }),
        anEvent('evt_3', { occurredAt: at(3), intentId: 'int_1', type: 'intent.approved' }),
        anEvent('evt_4', { occurredAt: at(4), type: 'key.created' }),
        anEvent('evt_5', {
          occurredAt: at(5),
          type: 'intent.expired',
          intentId: 'int_2',
          actor: { type: 'system', id: 'clock', display: 'the clock' },
        }),
        anEvent('evt_x', { projectId: 'prj_2', intentId: 'int_3' }),
      );
      await sealAll('prj_1');
      await sealAll('prj_2');
    });

    const list = async (filter: Partial<AuditFilter>) => {
      const found = await storage().read.listSealedEvents({
        projectId: 'prj_1',
        order: 'asc',
        limit: 50,
        ...filter,
      });
      return found.map((event) => event.seq);
    };

    it('run in either order, page by page, while events are added', async () => {
      expect(await list({ limit: 2 })).toEqual([1, 2]);
      expect(await list({ order: 'desc', limit: 2 })).toEqual([5, 4]);
      await insert(anEvent('evt_6'));
      await sealAll('prj_1', 6);
      expect(await list({ order: 'desc', afterSeq: 4, limit: 2 })).toEqual([3, 2]);
      expect(await list({ afterSeq: 2 })).toEqual([3, 4, 5, 6]);
      expect(await list({ order: 'desc', afterSeq: 1 })).toEqual([]);
    });

    it('hold those of one intent, one actor, certain types, a span of time, or all of these at once', async () => {
      expect(await list({ intentId: 'int_1' })).toEqual([1, 3]);
      expect(await list({ actor: 'clock' })).toEqual([5]);
      expect(await list({ types: ['intent.approved', 'key.created'] })).toEqual([3, 4]);
      expect(await list({ types: ['intent.created'] })).toEqual([1, 2]);
      expect(await list({ types: [] })).toEqual([1, 2, 3, 4, 5]);
      expect(await list({ from: at(2), to: at(4) })).toEqual([2, 3]);
      expect(await list({ from: at(5) })).toEqual([5]);
      const all: Partial<AuditFilter> = {
        intentId: 'int_2',
        actor: 'agt_1',
        types: ['intent.created', 'intent.expired'],
        from: at(1),
        to: at(9),
        order: 'desc',
        afterSeq: 5,
      };
      expect(await list(all)).toEqual([2]);
      expect(await list({ ...all, actor: 'clock', afterSeq: 6 })).toEqual([5]);
      expect(await list({ projectId: 'prj_2', intentId: 'int_3' })).toEqual([1]);
      expect(await list({ intentId: 'int_3' })).toEqual([]);
    });
  });
}
