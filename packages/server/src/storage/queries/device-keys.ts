/** Owns the device keys of people. */
import type { DeviceKey, DeviceKeyReader, DeviceKeyWriter } from '../../people/device-keys/device-key.ts';
import { fromJson, toJson } from '../sql/column.ts';
import { type OverRunner, prepare } from '../sql/prepared-query.ts';
import type { NewRow, Row } from '../sql/tables.ts';

const findRow = prepare((db, $: { keyId: string }) =>
  db.selectFrom('device_keys').selectAll().where('key_id', '=', $.keyId),
);

const listRows = prepare((db, $: { userId: string }) =>
  db.selectFrom('device_keys').selectAll().where('user_id', '=', $.userId).orderBy('seq'),
);

const insertRow = prepare((db, $: NewRow<'device_keys'>) =>
  db
    .insertInto('device_keys')
    .values({
      id: $.id,
      user_id: $.user_id,
      key_id: $.key_id,
      jwk: $.jwk,
      name: $.name,
      created_at: $.created_at,
      last_used_at: $.last_used_at,
    })
    .onConflict((conflict) => conflict.column('key_id').doNothing()),
);

const nameRow = prepare((db, $: { userId: string; id: string; name: string }) =>
  db.updateTable('device_keys').set({ name: $.name }).where('id', '=', $.id).where('user_id', '=', $.userId),
);

const deleteRow = prepare((db, $: { userId: string; id: string }) =>
  db.deleteFrom('device_keys').where('id', '=', $.id).where('user_id', '=', $.userId),
);

const useRow = prepare((db, $: { id: string; at: string }) =>
  db.updateTable('device_keys').set({ last_used_at: $.at }).where('id', '=', $.id),
);

const deleteRows = prepare((db, $: { userId: string }) =>
  db.deleteFrom('device_keys').where('user_id', '=', $.userId),
);

export const deviceKeyReads: OverRunner<DeviceKeyReader> = {
  async findDeviceKey(run, keyId) {
    const row = await run.first(findRow, { keyId });
    return row && toDeviceKey(row);
  },

  listDeviceKeys: async (run, userId) => (await run.all(listRows, { userId })).map(toDeviceKey),
};

export const deviceKeyWrites: OverRunner<DeviceKeyWriter> = {
  insertDeviceKey: async (run, key) =>
    (await run.change(insertRow, {
      id: key.id,
      user_id: key.userId,
      key_id: key.keyId,
      jwk: toJson(key.jwk),
      name: key.name,
      created_at: key.createdAt,
      last_used_at: key.lastUsedAt,
    })) === 1,

  renameDeviceKey: async (run, userId, id, name) => (await run.change(nameRow, { userId, id, name })) === 1,

  deleteDeviceKey: async (run, userId, id) => (await run.change(deleteRow, { userId, id })) === 1,

  useDeviceKey: async (run, id, at) => (await run.change(useRow, { id, at })) === 1,

  async deleteDeviceKeysOf(run, userId) {
    await run.change(deleteRows, { userId });
  },
};

function toDeviceKey(row: Row<'device_keys'>): DeviceKey {
  return {
    id: row.id,
    userId: row.user_id,
    keyId: row.key_id,
    jwk: fromJson(row.jwk),
    name: row.name,
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
  };
}
