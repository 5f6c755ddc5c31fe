import { beforeEach, describe, expect, it } from 'vitest';
import type { DeviceKey } from '../../../src/people/device-keys/device-key.ts';
import type { CurrentStorage } from './conformance.ts';
import { at, aUser, ODD_TEXT } from './samples.ts';

function aDeviceKey(id: string, changes: Partial<DeviceKey> = {}): DeviceKey {
  return {
    id,
    userId: 'usr_1',
    keyId: `thumbprint-of-${id}`,
    jwk: { kty: 'EC', crv: 'P-256', x: 'x'.repeat(43), y: 'y'.repeat(43) },
    name: ODD_TEXT,
    createdAt: at(0),
    lastUsedAt: null,
    ...changes,
  };
}

export function describeDeviceKeys(storage: CurrentStorage): void {
  const insert = (key: DeviceKey) => storage().transaction((tx) => tx.insertDeviceKey(key));
  const list = (userId = 'usr_1') => storage().read.listDeviceKeys(userId);

  describe('device keys', () => {
    beforeEach(() =>
      storage().transaction(async (tx) => {
        await tx.insertUser(aUser('usr_1'));
        await tx.insertUser(aUser('usr_2'));
      }),
    );

    it('keep every field, are listed oldest first, and are found by their thumbprint', async () => {
      const [first, second] = [aDeviceKey('dvk_2'), aDeviceKey('dvk_1', { lastUsedAt: at(5) })];
      await insert(first);
      await insert(second);
      await insert(aDeviceKey('dvk_3', { userId: 'usr_2' }));
      expect(await list()).toEqual([first, second]);
      expect(await storage().read.findDeviceKey(second.keyId)).toEqual(second);
      expect(await storage().read.findDeviceKey('unknown')).toBeUndefined();
    });

    it('belong to one person: a key that is already known is not inserted', async () => {
      expect(await insert(aDeviceKey('dvk_1'))).toBe(true);
      const again = aDeviceKey('dvk_2', { userId: 'usr_2', keyId: 'thumbprint-of-dvk_1' });
      expect(await insert(again)).toBe(false);
      expect(await list('usr_2')).toEqual([]);
    });

    it('are renamed and deleted only by the person they belong to, and used while they exist', async () => {
      await insert(aDeviceKey('dvk_1'));
      const change = (userId: string) =>
        storage().transaction(async (tx) => [
          await tx.renameDeviceKey(userId, 'dvk_1', 'Laptop'),
          await tx.useDeviceKey('dvk_1', at(9)),
          await tx.deleteDeviceKey(userId, 'dvk_1'),
          await tx.useDeviceKey('dvk_1', at(10)),
        ]);
      expect(await change('usr_2')).toEqual([false, true, false, true]);
      expect(await list()).toEqual([aDeviceKey('dvk_1', { lastUsedAt: at(10) })]);
      expect(await change('usr_1')).toEqual([true, true, true, false]);
      expect(await list()).toEqual([]);
    });

    it('are deleted with their person', async () => {
      await insert(aDeviceKey('dvk_1'));
      await insert(aDeviceKey('dvk_2', { userId: 'usr_2' }));
      await storage().transaction((tx) => tx.deleteDeviceKeysOf('usr_1'));
      expect([await list('usr_1'), (await list('usr_2')).length]).toEqual([[], 1]);
    });
  });
}
