import { describe, expect, it } from 'vitest';
import type { EntryLimits, MandateUse } from '../../../src/gate/mandates/mandate-uses.ts';
import type { CurrentStorage } from './conformance.ts';

const DAY = '2026-11-24';
const NEXT_DAY = '2026-11-25';
/** The largest amount of a request, in millionths: twelve digits before the point. */
const LARGEST = 10n ** 18n - 1n;

export function describeMandateUses(storage: CurrentStorage): void {
  describe('uses of a mandate', () => {
    const allow = (limits: Partial<EntryLimits>) =>
      storage().transaction((tx) =>
        tx.insertMandateEntry({
          mandateId: 'mnd_1',
          entry: 0,
          uses: 10_000,
          usesPerDay: null,
          amounts: [],
          ...limits,
        }),
      );
    const use = (given: Partial<MandateUse> = {}) =>
      storage().transaction(
        async (tx) => {
          await tx.lockMandates(['mnd_1']);
          return tx.countMandateUse({ mandateId: 'mnd_1', entry: 0, day: DAY, amounts: [], ...given });
        },
        { guarded: true },
      );
    const counted = async () => (await storage().read.listMandateCounts('mnd_1'))[0];

    it('are numbered without gaps up to the limit, however many come at once', async () => {
      await allow({ uses: 25 });
      const uses = await Promise.all(Array.from({ length: 60 }, () => use()));
      const numbers = uses.filter((each) => each !== undefined).map(({ n }) => n);
      expect(numbers.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 25 }, (_, index) => index + 1));
      expect(await counted()).toMatchObject({ uses: 25, usesOfDay: 25, day: DAY });
    });

    it('never exceed an amount, however many come at once', async () => {
      await allow({ amounts: [{ total: 100n, perDay: null }] });
      const uses = await Promise.all(Array.from({ length: 40 }, () => use({ amounts: [7n] })));
      expect(uses.filter((each) => each !== undefined)).toHaveLength(14);
      expect(await counted()).toMatchObject({ uses: 14, amounts: [{ total: 98n, ofDay: 0n }] });
      expect(await use({ amounts: [2n] })).toMatchObject({ n: 15 });
      expect(await use({ amounts: [1n] })).toBeUndefined();
    });

    it('begin again each day, and an earlier day counts in the newest', async () => {
      await allow({ usesPerDay: 2, amounts: [{ total: 50n, perDay: 10n }] });
      expect(await use({ amounts: [9n] })).toEqual({ n: 1, day: DAY });
      expect(await use({ amounts: [2n] })).toBeUndefined();
      expect(await use({ day: NEXT_DAY, amounts: [10n] })).toEqual({ n: 2, day: NEXT_DAY });
      expect(await use({ amounts: [1n] })).toBeUndefined();
      expect(await use({ amounts: [0n] })).toEqual({ n: 3, day: NEXT_DAY });
      expect(await use({ amounts: [0n] })).toBeUndefined();
      expect(await counted()).toEqual({
        entry: 0,
        uses: 3,
        day: NEXT_DAY,
        usesOfDay: 2,
        amounts: [{ total: 19n, ofDay: 10n }],
      });
    });

    it('are exact in the largest amounts', async () => {
      await allow({
        amounts: [
          { total: LARGEST, perDay: null },
          { total: null, perDay: LARGEST },
        ],
      });
      expect(await use({ amounts: [1n, LARGEST] })).toMatchObject({ n: 1 });
      expect(await use({ amounts: [LARGEST, 0n] })).toBeUndefined();
      expect(await use({ amounts: [LARGEST - 1n, 0n] })).toMatchObject({ n: 2 });
      expect(await use({ amounts: [1n, 0n] })).toBeUndefined();
      expect(await use({ amounts: [0n, 1n] })).toBeUndefined();
      // Days without a total never add up, so 10,000 of the largest amounts cannot overflow.
      for (let day = 26; day < 30; day += 1) {
        expect(await use({ day: `2026-11-${day}`, amounts: [0n, LARGEST] })).toBeDefined();
      }
      expect((await counted())?.amounts).toEqual([
        { total: LARGEST, ofDay: 0n },
        { total: 0n, ofDay: LARGEST },
      ]);
    });

    it('have a row of their own for each entry', async () => {
      await allow({ uses: 1 });
      await allow({ entry: 1, uses: 1 });
      expect(await use({ entry: 1 })).toMatchObject({ n: 1 });
      expect(await use({ entry: 1 })).toBeUndefined();
      expect(await use()).toMatchObject({ n: 1 });
      expect(await use({ entry: 2 })).toBeUndefined();
      expect((await storage().read.listMandateCounts('mnd_1')).map(({ entry }) => entry)).toEqual([0, 1]);
    });

    it('are not counted when their transaction fails afterwards', async () => {
      await allow({ uses: 1 });
      const failing = storage().transaction(
        async (tx) => {
          await tx.lockMandates(['mnd_1']);
          await tx.countMandateUse({ mandateId: 'mnd_1', entry: 0, day: DAY, amounts: [] });
          throw new Error('afterwards');
        },
        { guarded: true },
      );
      await expect(failing).rejects.toThrow('afterwards');
      expect(await use()).toMatchObject({ n: 1 });
    });
  });
}
