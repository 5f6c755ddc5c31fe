import { describe, expect, it } from 'vitest';
import type { SigningKeyRecord } from '../../../src/gate/signing-keys/signing-key-record.ts';
import type { CurrentStorage } from './conformance.ts';

export function describeKeysInDatabase(storage: CurrentStorage): void {
  describe('signing keys in the database', () => {
    const swap = (revision: number, ...records: SigningKeyRecord[]) =>
      storage().transaction((tx) => tx.swapSigningKeyRecords(revision, records));
    const record = (kid: string, document = '{}') => ({ kid, document, seal: 'seal' });

    it('are stored by their kid, and every change raises the revision', async () => {
      const revision = () => storage().read.findSigningKeyRevision();
      expect(await storage().read.listSigningKeyRecords()).toEqual([]);
      const empty = await revision();
      expect(await swap(empty, record('b'), record('a'))).toBe(true);
      const two = await revision();
      expect(await swap(two, record('b', '{"changed":true}'))).toBe(true);
      expect(await storage().read.listSigningKeyRecords()).toEqual([
        record('a'),
        record('b', '{"changed":true}'),
      ]);
      expect([two, await revision()]).toEqual([empty + 1, empty + 2]);
    });

    it('are changed by only one of several writers that read the same revision', async () => {
      const from = await storage().read.findSigningKeyRevision();
      const swaps = ['a', 'b', 'c', 'd'].map((kid) => swap(from, record(kid)));
      expect((await Promise.all(swaps)).filter(Boolean)).toHaveLength(1);
      expect(await storage().read.listSigningKeyRecords()).toHaveLength(1);
      expect(await swap(from, record('late'))).toBe(false);
      expect(await storage().read.findSigningKeyRevision()).toBe(from + 1);
      expect(await storage().read.listSigningKeyRecords()).toHaveLength(1);
    });
  });

  describe('facts of the installation', () => {
    it('are inserted only once, and overwritten only by a put', async () => {
      const find = () => storage().read.findInstallationFact('base_url');
      const insert = (value: string) =>
        storage().transaction((tx) => tx.insertInstallationFact('base_url', value));
      expect(await find()).toBeUndefined();
      expect(await insert('https://one.example')).toBe(true);
      expect(await insert('https://other.example')).toBe(false);
      expect(await find()).toBe('https://one.example');
      await storage().transaction((tx) => tx.putInstallationFact('base_url', 'https://other.example'));
      expect(await find()).toBe('https://other.example');
    });

    it('are never lowered by a raise', async () => {
      const find = () => storage().read.findInstallationFact('declared_at');
      const raise = (value: string) =>
        storage().transaction((tx) => tx.raiseInstallationFact('declared_at', value), { guarded: true });
      for (const [value, then] of [
        ['2026-11-20T12:00:00.000Z', '2026-11-20T12:00:00.000Z'],
        ['2026-11-20T12:00:03.000Z', '2026-11-20T12:00:03.000Z'],
        ['2026-11-20T12:00:01.000Z', '2026-11-20T12:00:03.000Z'],
      ] as const) {
        await raise(value);
        expect(await find()).toBe(then);
      }
    });

    it('are deleted by name, and time marks by their age', async () => {
      const find = (name: 'declared_at' | `served_until/${string}`) =>
        storage().read.findInstallationFact(name);
      await storage().transaction(async (tx) => {
        await tx.putInstallationFact('declared_at', '2020-01-01T00:00:00.000Z');
        await tx.putInstallationFact('served_until/old', '2026-11-20T12:00:00.000Z');
        await tx.putInstallationFact('served_until/young', '2026-11-20T12:00:03.000Z');
        await tx.deleteMarksOfTime('2026-11-20T12:00:03.000Z');
      });
      expect(await find('served_until/old')).toBeUndefined();
      expect(await find('served_until/young')).toBe('2026-11-20T12:00:03.000Z');
      expect(await find('declared_at')).toBe('2020-01-01T00:00:00.000Z');
      await storage().transaction((tx) => tx.deleteInstallationFact('served_until/young'));
      expect(await find('served_until/young')).toBeUndefined();
    });
  });
}
