/** Owns the device keys of people. */
import type { DeviceKeyReader, DeviceKeyWriter } from '../../people/device-keys/device-key.ts';
import type { OverRunner } from '../sql/prepared-query.ts';
import { findIn, listIn } from '../sql/read-statements.ts';
import { deviceKeys } from '../sql/tables.ts';
import { deleteFrom, insertOnce, updateOf } from '../sql/write-statements.ts';

const find = findIn(deviceKeys, 'keyId');
const listOf = listIn(deviceKeys, { where: ['userId'], orderBy: 'seq' });
const rename = updateOf(deviceKeys, { set: ['name'], where: ['id', 'userId'] });
const use = updateOf(deviceKeys, { set: ['lastUsedAt'], where: ['id'] });
const deleteOne = deleteFrom(deviceKeys, 'id', 'userId');
const deleteOf = deleteFrom(deviceKeys, 'userId');

export const deviceKeyQueries: OverRunner<DeviceKeyReader & DeviceKeyWriter> = {
  findDeviceKey: (run, keyId) => find(run, { keyId }),

  listDeviceKeys: (run, userId) => listOf(run, { userId }),

  insertDeviceKey: insertOnce(deviceKeys, 'keyId'),

  renameDeviceKey: (run, userId, id, name) => rename(run, { id, userId, name }),

  deleteDeviceKey: async (run, userId, id) => (await deleteOne(run, { id, userId })) === 1,

  useDeviceKey: (run, id, at) => use(run, { id, lastUsedAt: at }),

  deleteDeviceKeysOf: (run, userId) => deleteOf(run, { userId }),
};
