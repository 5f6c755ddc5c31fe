import { describe, expect, it } from 'vitest';
import type { IdempotencyRecord } from '../../../src/gate/kernel/idempotency.ts';
import type { CurrentStorage } from './conformance.ts';
import { aRecord, at, ODD } from './samples.ts';

export function describeIdempotency(storage: CurrentStorage): void {
  describe('the storage of idempotency records', () => {
    const insert = (record: IdempotencyRecord, now = at(0)) =>
      storage().transaction((tx) => tx.insertIdempotencyRecord(record, now));
    const find = ({ scope, key }: IdempotencyRecord, now = at(0)) =>
      storage().read.findIdempotencyRecord(scope, key, now);

    it('keeps every field of a record until it expires', async () => {
      const record = aRecord({ key: `'"%_~`, body: ODD });
      expect(await insert(record)).toBe(true);
      expect(await find(record)).toEqual(record);
      expect(await find(record, at(86_399))).toEqual(record);
      expect(await find(record, at(86_400))).toBeUndefined();
      expect(await find(aRecord({ scope: 'key_2 POST /v1/intents' }))).toBeUndefined();
    });

    it('keeps the first record of a scope and key when many arrive at once', async () => {
      const tries = await Promise.all(
        Array.from({ length: 20 }, (_, index) => insert(aRecord({ bodyHash: `hash ${index}` }))),
      );
      expect(tries.filter((won) => won)).toHaveLength(1);
      expect(await find(aRecord())).toEqual(aRecord({ bodyHash: `hash ${tries.indexOf(true)}` }));
      expect(await insert(aRecord({ scope: 'key_2 POST /v1/intents' }))).toBe(true);
      expect(await insert(aRecord({ key: 'k2' }))).toBe(true);
    });

    it('replaces an expired record', async () => {
      await insert(aRecord({ expiresAt: at(10) }));
      const second = aRecord({ bodyHash: 'bb', status: 409, body: { other: true }, expiresAt: at(99) });
      expect(await insert(second, at(9))).toBe(false);
      expect(await insert(second, at(10))).toBe(true);
      expect(await find(second, at(10))).toEqual(second);
    });

    it('deletes expired records, a few at a time, oldest first', async () => {
      for (const seconds of [30, 10, 20, 40]) {
        await insert(aRecord({ key: `k${seconds}`, expiresAt: at(seconds) }));
      }
      const clear = (now: string, limit: number) =>
        storage().transaction((tx) => tx.deleteExpiredIdempotencyRecords(now, limit));
      expect(await clear(at(30), 2)).toBe(2);
      expect(await find(aRecord({ key: 'k30' }))).toBeDefined();
      expect(await clear(at(30), 2)).toBe(1);
      expect(await clear(at(30), 2)).toBe(0);
      expect(await find(aRecord({ key: 'k40' }))).toBeDefined();
    });
  });
}
