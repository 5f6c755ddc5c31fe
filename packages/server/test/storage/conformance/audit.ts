import { beforeEach, describe, expect, it } from 'vitest';
import type { AuditEvent, AuditFilter, Seal } from '../../../src/gate/audit/audit-event.ts';
import type { CurrentStorage } from './conformance.ts';
import { anEvent, anIntent, aProject, at, ODD, ODD_TEXT } from './samples.ts';

const hashOf = (seq: number) => `sha256:${String(seq).padStart(64, '0')}`;
const positionIn = (seq: number) => ({ seq, prevHash: hashOf(seq - 1), hash: hashOf(seq) });

/** A seal of the events at these positions, from `firstSeq` on. */
const aSeal = (projectId: string, firstSeq: number, positions: readonly number[]): Seal => ({
  projectId,
  firstSeq,
  positions,
  prevHash: hashOf(firstSeq - 1),
  hashes: positions.map((_, index) => hashOf(firstSeq + index)),
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

  const positionsOf = async (projectId: string, limit = 1000) =>
    (await storage().read.listUnsealedEvents(projectId, limit)).map(({ position }) => position);

  /** Seals the events at these positions as if the chain ended before `first`. */
  const seal = (projectId: string, first: number, positions: readonly number[]) =>
    storage().transaction(
      (tx) =>
        tx.appendSeal(aSeal(projectId, first, positions), aHead(projectId, first - 1 + positions.length)),
      { guarded: true },
    );

  /** Seals everything unsealed in the project, from `first` on. */
  const sealAll = async (projectId: string, first = 1) => {
    expect(await seal(projectId, first, await positionsOf(projectId))).toBe(true);
  };

  describe('events', () => {
    beforeEach(() => storage().transaction((tx) => tx.insertProject(aProject({ id: 'prj_2' }))));

    it('keep every field, with their place in the chain', async () => {
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
        { ...odd, ...positionIn(1) },
      ]);
    });

    it('get their places in the order of their commits, in each project separately', async () => {
      for (let index = 0; index < 40; index += 1) {
        await insert(anEvent(`evt_${index}`, { occurredAt: at(100 - index) }));
      }
      await insert(anEvent('evt_x', { projectId: 'prj_2' }));
      const unsealed = await storage().read.listUnsealedEvents('prj_1', 100);
      expect(unsealed.map(({ eventHash }) => eventHash)).toEqual(
        Array.from({ length: 40 }, (_, index) => `sha256:evt_${index}`),
      );
      expect(unsealed.map(({ position }) => position)).toEqual(
        unsealed.map(({ position }) => position).toSorted((a, b) => a - b),
      );
      // A database gives all events their number when they are written, or all of them when they are sealed.
      for (const [index, { seq }] of unsealed.entries()) expect([null, index + 1]).toContain(seq);
      const last = unsealed.at(-1)?.position ?? 0;
      expect(await storage().read.findLastUnsealedPosition('prj_1')).toBe(last);
      expect(await storage().read.listUnsealedEvents('prj_1', 3)).toEqual(unsealed.slice(0, 3));
      expect(await storage().read.listUnsealedEvents('prj_1', 100, last - 1)).toEqual(unsealed.slice(0, -1));
      expect(await positionsOf('prj_2')).toHaveLength(1);
      expect(await storage().read.findLastUnsealedPosition('prj_3')).toBeUndefined();
    });

    it('are each stored once when many transactions run at the same time', async () => {
      const ids = Array.from({ length: 40 }, (_, index) => `evt_${index}`);
      await Promise.all(ids.map((id) => insert(anEvent(id))));
      await sealAll('prj_1');
      const listed = await storage().read.listSealedEvents({ projectId: 'prj_1', order: 'asc', limit: 100 });
      expect(listed.map(({ seq }) => seq)).toEqual(ids.map((_, index) => index + 1));
      expect(listed.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
    });

    it('leave no gap when a transaction is undone', async () => {
      await insert(anEvent('evt_1'));
      const undone = storage().transaction(async (tx) => {
        await tx.insertEvent(anEvent('evt_2'));
        throw new Error('undone');
      });
      await expect(undone).rejects.toThrow('undone');
      await insert(anEvent('evt_3'));
      await sealAll('prj_1');
      const listed = await storage().read.listSealedEvents({ projectId: 'prj_1', order: 'asc', limit: 3 });
      expect(listed.map(({ seq, id }) => [seq, id])).toEqual([
        [1, 'evt_1'],
        [2, 'evt_3'],
      ]);
    });

    it('are counted while unsealed, and their projects are listed', async () => {
      expect(await storage().read.listUnsealedProjects()).toEqual([]);
      await insert(anEvent('evt_1'), anEvent('evt_2'), anEvent('evt_3', { projectId: 'prj_2' }));
      expect(await storage().read.countUnsealedEvents('prj_1')).toBe(2);
      const unsealed = (await storage().read.listUnsealedProjects()).toSorted((a, b) =>
        a.projectId.localeCompare(b.projectId),
      );
      const [firstPosition] = await positionsOf('prj_1');
      const [onlyPosition] = await positionsOf('prj_2');
      expect(unsealed).toEqual([
        { projectId: 'prj_1', firstPosition },
        { projectId: 'prj_2', firstPosition: onlyPosition },
      ]);
      await sealAll('prj_1');
      expect(await storage().read.countUnsealedEvents('prj_1')).toBe(0);
      expect(await storage().read.findLastUnsealedPosition('prj_1')).toBeUndefined();
      expect(await storage().read.listUnsealedProjects()).toEqual([
        { projectId: 'prj_2', firstPosition: onlyPosition },
      ]);
    });

    it('are shown only once sealed', async () => {
      await insert(anEvent('evt_1'));
      const list = () => storage().read.listSealedEvents({ projectId: 'prj_1', order: 'asc', limit: 10 });
      expect(await list()).toEqual([]);
      await sealAll('prj_1');
      expect(await list()).toHaveLength(1);
    });

    it('are sealed once, each stretch directly after the one before', async () => {
      await insert(anEvent('evt_1'), anEvent('evt_2'), anEvent('evt_3', { projectId: 'prj_2' }));
      const [first = 0, second = 0] = await positionsOf('prj_1');
      expect(await seal('prj_1', 2, [second])).toBe(false);
      expect(await seal('prj_1', 1, [first])).toBe(true);
      await sealAll('prj_2');
      expect(await seal('prj_1', 1, [first])).toBe(false);
      expect(await seal('prj_1', 1, [first, second])).toBe(false);
      expect(await seal('prj_1', 3, [second])).toBe(false);
      expect(await storage().read.countUnsealedEvents('prj_1')).toBe(1);
      expect(await storage().read.findChainHead('prj_1')).toEqual(aHead('prj_1', 1));
      expect(await seal('prj_1', 2, [second])).toBe(true);
      const listed = await storage().read.listSealedEvents({ projectId: 'prj_1', order: 'desc', limit: 9 });
      expect(listed.map(({ seq, prevHash, hash }) => ({ seq, prevHash, hash }))).toEqual([
        positionIn(2),
        positionIn(1),
      ]);
    });

    it('are sealed only once when many try at the same moment', async () => {
      await insert(anEvent('evt_1'), anEvent('evt_2'));
      for (const seq of [1, 2]) {
        const [position = 0] = await positionsOf('prj_1');
        const won = await Promise.all(Array.from({ length: 12 }, () => seal('prj_1', seq, [position])));
        expect(won.filter((mine) => mine)).toHaveLength(1);
      }
      expect(await storage().read.countUnsealedEvents('prj_1')).toBe(0);
      expect(await storage().read.findChainHead('prj_1')).toEqual(aHead('prj_1', 2));
    });

    it('are not sealed if the end of the chain is not the one the seal was computed from', async () => {
      await insert(anEvent('evt_1'), anEvent('evt_2'));
      const [first = 0, second = 0] = await positionsOf('prj_1');
      await seal('prj_1', 1, [first]);
      const other = { ...aSeal('prj_1', 2, [second]), prevHash: hashOf(77) };
      const append = storage().transaction((tx) => tx.appendSeal(other, aHead('prj_1', 2)));
      expect(await append).toBe(false);
      expect(await storage().read.findChainHead('prj_1')).toEqual(aHead('prj_1', 1));
    });

    it('have one chain head per project, and chains sealed since a time are listed', async () => {
      expect(await storage().read.findChainHead('prj_1')).toBeUndefined();
      await insert(anEvent('evt_1'), anEvent('evt_2'), anEvent('evt_3', { projectId: 'prj_2' }));
      const [first = 0, second = 0] = await positionsOf('prj_1');
      await seal('prj_1', 1, [first]);
      await sealAll('prj_2');
      await seal('prj_1', 2, [second]);
      expect(await storage().read.findChainHead('prj_1')).toEqual(aHead('prj_1', 2));
      expect(await storage().read.findChainHead('prj_2')).toEqual(aHead('prj_2', 1));
      const endsSince = async (since: number) =>
        (await storage().read.listChainEnds(at(since))).map(({ projectId, seq }) => [projectId, seq]);
      expect((await endsSince(0)).toSorted()).toEqual([
        ['prj_1', 2],
        ['prj_2', 1],
      ]);
      expect(await endsSince(2)).toEqual([['prj_1', 2]]);
      expect(await endsSince(3)).toEqual([]);
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

    it('are read in either order, page by page, while events are added', async () => {
      expect(await list({ limit: 2 })).toEqual([1, 2]);
      expect(await list({ order: 'desc', limit: 2 })).toEqual([5, 4]);
      await insert(anEvent('evt_6'));
      await sealAll('prj_1', 6);
      expect(await list({ order: 'desc', afterSeq: 4, limit: 2 })).toEqual([3, 2]);
      expect(await list({ afterSeq: 2 })).toEqual([3, 4, 5, 6]);
      expect(await list({ order: 'desc', afterSeq: 1 })).toEqual([]);
    });

    it('can be limited to one intent, one actor, certain types, a span of time, or all of these at once', async () => {
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
