/** Answers of the dashboard's own routes about a person's device keys. */
import Type from 'typebox';
import { Nullable, StrictObject } from '../forms.ts';

export const DeviceKeySchema = StrictObject({
  id: Type.String(),
  name: Type.String(),
  key_id: Type.String({ description: 'RFC 7638 thumbprint.' }),
  created_at: Type.String(),
  last_used_at: Nullable(Type.String()),
});

export const RenameDeviceKey = StrictObject({ name: Type.String({ minLength: 1, maxLength: 200 }) });
