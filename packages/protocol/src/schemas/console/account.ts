/** Answers of the dashboard's own routes about a person's own account. */
import Type from 'typebox';
import { Nullable, StrictObject } from '../forms.ts';
import { DeviceKeySchema } from './device-keys.ts';
import { PasskeySchema } from './passkeys.ts';

export const AccountSchema = StrictObject({
  user: StrictObject({ id: Type.String(), email: Type.String(), name: Nullable(Type.String()) }),
  has_password: Type.Boolean(),
  totp: StrictObject({ enabled: Type.Boolean(), since: Nullable(Type.String()) }),
  recovery_codes_left: Type.Integer(),
  passkeys: Type.Array(PasskeySchema),
  device_keys: Type.Array(DeviceKeySchema),
  identities: Type.Array(
    StrictObject({
      id: Type.String(),
      provider: Type.String({ description: 'Its name in the settings. Its ID if it no longer exists.' }),
      display: Type.String(),
    }),
  ),
});

export const RenameAccount = StrictObject({ name: Type.String({ minLength: 1, maxLength: 200 }) });

export const ChangePassword = StrictObject({
  current: Type.Optional(Type.String({ minLength: 1, maxLength: 1000 })),
  password: Type.String({ minLength: 1, maxLength: 1000 }),
});

export const TotpSecret = StrictObject({ secret: Type.String(), uri: Type.String() });
export const TotpCode = StrictObject({ code: Type.String({ minLength: 6, maxLength: 20 }) });
export const RecoveryCodes = StrictObject({ recovery_codes: Type.Array(Type.String()) });
