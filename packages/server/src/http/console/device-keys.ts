import { type DeviceKeySchema, RenameDeviceKey } from '@permitry/protocol/schemas';
import type { Static } from 'typebox';
import type { DeviceKey } from '../../people/device-keys/device-key.ts';
import { removeDeviceKey, renameDeviceKey } from '../../people/device-keys/own-device-keys.ts';
import { ItemPath, NoContent } from '../routes/route-schemas.ts';
import type { GateApp } from '../routes/surface.ts';
import type { ConsoleTools } from './console-tools.ts';
import { getPerson } from './get-person.ts';

/** Routes that manage device keys. New keys come only by pairing. */
export function deviceKeyRoutes(app: GateApp, { gate }: ConsoleTools): void {
  app.patch(
    '/account/device-keys/:id',
    { schema: { params: ItemPath, body: RenameDeviceKey, response: { 204: NoContent } } },
    (request) =>
      renameDeviceKey(gate, getPerson(request), { id: request.params.id, name: request.body.name }),
  );

  app.delete(
    '/account/device-keys/:id',
    { schema: { params: ItemPath, response: { 204: NoContent } } },
    (request) => removeDeviceKey(gate, getPerson(request), { id: request.params.id }),
  );
}

/** A device key as pages show it. Part of `GET /console/account`. */
export function toWireDeviceKey(key: DeviceKey): Static<typeof DeviceKeySchema> {
  const { id, name, keyId, createdAt, lastUsedAt } = key;
  return { id, name, key_id: keyId, created_at: createdAt, last_used_at: lastUsedAt };
}
