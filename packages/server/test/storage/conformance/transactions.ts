import { describe, expect, it } from 'vitest';
import type { Transaction } from '../../../src/storage/nouns.ts';
import type { CurrentStorage } from './conformance.ts';
import { anAgent, anEvent, anIntent, aProject, at } from './samples.ts';

const TICK = () => new Promise((resolve) => setImmediate(resolve));

export function describeTransactions(storage: CurrentStorage): void {
  describe('a transaction', () => {
    it('returns its result only once readers can see what it wrote', async () => {
      const answer = await storage().transaction(async (tx) => {
        await tx.insertAgent(anAgent('agt_1'));
        return { written: 1 };
      });
      expect(answer).toEqual({ written: 1 });
      expect(await storage().read.findAgent('prj_1', 'agt_1')).toEqual(anAgent('agt_1'));
    });

    it('sees its own writes, and shows them to nobody before the commit', async () => {
      let seenOutside: unknown = 'not asked';
      await storage().transaction(async (tx) => {
        await tx.insertAgent(anAgent('agt_1'));
        expect(await tx.findAgent('prj_1', 'agt_1')).toEqual(anAgent('agt_1'));
        seenOutside = await storage().read.findAgent('prj_1', 'agt_1');
      });
      expect(seenOutside).toBeUndefined();
    });

    it('undoes all its changes when it throws, and rejects with its error', async () => {
      const refusal = new Error('not allowed');
      const asked = storage().transaction(async (tx) => {
        await tx.insertAgent(anAgent('agt_1'));
        await tx.insertEvent(anEvent('evt_1'));
        throw refusal;
      });
      await expect(asked).rejects.toBe(refusal);
      expect(await storage().read.findAgent('prj_1', 'agt_1')).toBeUndefined();
      expect(await storage().read.countUnsealedEvents('prj_1')).toBe(0);
    });

    it('does not affect others when it fails', async () => {
      const asked = Array.from({ length: 30 }, (_, index) =>
        storage().transaction(async (tx) => {
          await tx.insertAgent(anAgent(`agt_${index}`));
          // Every third transaction breaks a rule of the database, and every fifth one throws its own error.
          if (index % 3 === 0) await tx.insertProject(aProject());
          if (index % 5 === 0) throw new Error('refused');
          return index;
        }),
      );
      const settled = await Promise.allSettled(asked);
      const expected = settled.map((_, index) => index % 3 !== 0 && index % 5 !== 0);
      expect(settled.map((one) => one.status === 'fulfilled')).toEqual(expected);
      const found = await Promise.all(
        settled.map((_, index) => storage().read.findAgent('prj_1', `agt_${index}`)),
      );
      expect(found.map((agent) => agent !== undefined)).toEqual(expected);
    });

    it.each([{ guarded: false }, { guarded: true }])(
      'is refused completely if it ignores a conflict (%o)',
      async (how) => {
        await storage().transaction((tx) => tx.insertAgent(anAgent('agt_1')));
        const passedOver = storage().transaction(async (tx) => {
          await tx.insertAgent(anAgent('agt_2'));
          await tx.insertAgent(anAgent('agt_1')).catch(() => undefined);
        }, how);
        await expect(passedOver).rejects.toMatchObject({ code: 'conflict' });
        expect(await storage().read.findAgent('prj_1', 'agt_2')).toBeUndefined();
      },
    );

    it.each([{ guarded: false }, { guarded: true }])(
      'reports the first of several simultaneous errors (%o)',
      async (how) => {
        await storage().transaction((tx) => tx.insertIntent(anIntent('int_taken')));
        const both = storage().transaction(
          (tx) => Promise.all([tx.insertIntent(anIntent('int_taken')), tx.insertAgent(anAgent('agt_1'))]),
          how,
        );
        await expect(both).rejects.toMatchObject({ code: 'conflict' });
        expect(await storage().read.findAgent('prj_1', 'agt_1')).toBeUndefined();
      },
    );

    it('loses no step when 200 run at once', async () => {
      const grow = async (tx: Transaction): Promise<number> => {
        const before = (await tx.findProject('prj_1'))?.revision ?? 0;
        await tx.bumpProjectRevision('prj_1');
        const after = (await tx.findProject('prj_1'))?.revision ?? 0;
        expect(after).toBe(before + 1);
        return after;
      };
      const seen = await Promise.all(Array.from({ length: 200 }, () => storage().transaction(grow)));
      expect(new Set(seen).size).toBe(200);
      expect((await storage().read.findProject('prj_1'))?.revision).toBe(201);
    });

    it('runs as if alone if it depends on what it reads', async () => {
      // Each transaction pauses its agent only if it sees that the other agent is still active.
      await storage().transaction(async (tx) => {
        await tx.insertAgent(anAgent('agt_1'));
        await tx.insertAgent(anAgent('agt_2'));
      });
      const leave = (id: string, other: string) =>
        storage().transaction(async (tx) => {
          if ((await tx.findAgent('prj_1', other))?.status !== 'active') return false;
          return tx.setAgentStatus(id, ['active'], 'paused');
        });
      const left = await Promise.all([leave('agt_1', 'agt_2'), leave('agt_2', 'agt_1')]);
      expect(left.filter(Boolean)).toHaveLength(1);
    });

    it('sees the results of others that change the same row at the same time', async () => {
      await storage().transaction((tx) => tx.insertAgent(anAgent('agt_1')));
      const pause = () =>
        storage().transaction((tx) => tx.setAgentStatus('agt_1', ['active'], 'paused'), { guarded: true });
      const paused = await Promise.all(Array.from({ length: 20 }, pause));
      expect(paused.filter(Boolean)).toHaveLength(1);
    });

    it('reports a refusal only once the data that it may depend on is durable', async () => {
      // The first transaction causes the second one's refusal. When the refusal is reported, a reader must see the
      // first one's data.
      const first = storage().transaction((tx) => tx.insertAgent(anAgent('agt_1')));
      const second = storage().transaction(async (tx) => {
        if (await tx.findAgent('prj_1', 'agt_1')) throw new Error('there is one already');
      });
      // On PostgreSQL the second transaction may come before the first, and is then not refused.
      const told = await second.then(
        () => 'not refused',
        () => storage().read.findAgent('prj_1', 'agt_1'),
      );
      expect(told).toBeDefined();
      await first;
    });

    it('runs its effects after the commit, and none if it is undone', async () => {
      const effects: string[] = [];
      const kept = storage().transaction(async (tx) => {
        tx.afterCommit(() => effects.push('kept'));
        await tx.insertAgent(anAgent('agt_1'));
        expect(effects).toEqual([]);
      });
      const undone = storage().transaction(async (tx) => {
        tx.afterCommit(() => effects.push('undone'));
        throw new Error('refused');
      });
      await Promise.allSettled([kept, undone]);
      await TICK();
      expect(effects).toEqual(['kept']);
    });

    it('is refused inside another transaction instead of waiting forever', async () => {
      const nested = storage().transaction(async (tx) => {
        await tx.insertAgent(anAgent('agt_1'));
        return storage().transaction((inner) => inner.insertAgent(anAgent('agt_2')));
      });
      await expect(nested).rejects.toThrow(/transaction inside a transaction/);
      expect(await storage().read.findAgent('prj_1', 'agt_1')).toBeUndefined();
    });

    it('can request another transaction that runs later', async () => {
      let later: Promise<void> | undefined;
      await storage().transaction(async () => {
        later = TICK().then(() => storage().transaction((tx) => tx.insertAgent(anAgent('agt_1'))));
      });
      await later;
      expect(await storage().read.findAgent('prj_1', 'agt_1')).toBeDefined();
    });

    it('cannot be used after its end', async () => {
      let leaked: Transaction | undefined;
      await storage().transaction(async (tx) => {
        leaked = tx;
      });
      await expect(leaked?.bumpProjectRevision('prj_1')).rejects.toThrow(/ended/);
      expect((await storage().read.findProject('prj_1'))?.revision).toBe(1);
    });

    it('is committed together with others that were requested at the same time', async () => {
      const before = storage().stats();
      await Promise.all(
        Array.from({ length: 50 }, (_, index) =>
          storage().transaction((tx) => tx.insertEvent(anEvent(`evt_${index}`, { occurredAt: at(index) })), {
            guarded: true,
          }),
        ),
      );
      const after = storage().stats();
      expect(after.transactions - before.transactions).toBe(50);
      expect(after.commits - before.commits).toBeLessThan(50);
      expect(await storage().read.countUnsealedEvents('prj_1')).toBe(50);
    });

    it('is finished before the storage closes, and refused once the storage is closing', async () => {
      const underWay = storage().transaction((tx) => tx.insertAgent(anAgent('agt_1')).then(() => 'done'));
      const closed = storage().close();
      const late = storage().transaction((tx) => tx.insertAgent(anAgent('agt_2')));
      await expect(late).rejects.toMatchObject({ code: 'service_unavailable' });
      expect(await underWay).toBe('done');
      await closed;
    });
  });
}
