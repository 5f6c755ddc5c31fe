import {
  AccountSchema,
  ChangePassword,
  EmptyBody,
  PasswordChanged,
  RecoveryCodes,
  RenameAccount,
  TotpCode,
  TotpSecret,
} from '@permitry/protocol/schemas';
import type { Static } from 'typebox';
import type { SessionCaller } from '../../gate/access/caller.ts';
import { listOwnDeviceKeys } from '../../people/device-keys/own-device-keys.ts';
import { listOwnPasskeys } from '../../people/passkeys/own-passkeys.ts';
import { changePassword } from '../../people/passwords/change-password.ts';
import {
  beginTotp,
  confirmTotp,
  removeTotp,
  renewRecoveryCodes,
} from '../../people/second-factor/enrol-totp.ts';
import { readAccount, removeIdentity, renameAccount } from '../../people/sign-in/account.ts';
import { ItemPath, NoContent } from '../routes/route-schemas.ts';
import type { GateApp } from '../routes/surface.ts';
import type { ConsoleTools } from './console-tools.ts';
import { toWireDeviceKey } from './device-keys.ts';
import { getPerson } from './get-person.ts';
import { toWirePasskey } from './passkeys.ts';

export function accountRoutes(app: GateApp, tools: ConsoleTools): void {
  const { gate } = tools;
  app.get('/account', { schema: { response: { 200: AccountSchema } } }, (request) =>
    describeAccount(tools, getPerson(request)),
  );

  app.patch(
    '/account',
    { schema: { body: RenameAccount, response: { 200: AccountSchema } } },
    async (request) => {
      const person = getPerson(request);
      await renameAccount(gate, person, request.body);
      return describeAccount(tools, person);
    },
  );

  app.post(
    '/account/password',
    { schema: { body: ChangePassword, response: { 200: PasswordChanged } } },
    async (request) => {
      await changePassword(gate, getPerson(request), { ...request.body, address: request.ip });
      return { status: 'changed' as const };
    },
  );

  app.delete(
    '/account/identities/:id',
    { schema: { params: ItemPath, response: { 204: NoContent } } },
    (request) => removeIdentity(gate, getPerson(request), { identityId: request.params.id }),
  );
  totpRoutes(app, tools);
}

function totpRoutes(app: GateApp, { gate }: ConsoleTools): void {
  app.post('/account/totp', { schema: { body: EmptyBody, response: { 200: TotpSecret } } }, async (request) =>
    beginTotp(gate, getPerson(request)),
  );

  app.post(
    '/account/totp/confirm',
    { schema: { body: TotpCode, response: { 200: RecoveryCodes } } },
    async (request) => {
      const { recoveryCodes } = await confirmTotp(gate, getPerson(request), request.body);
      return { recovery_codes: recoveryCodes };
    },
  );

  app.delete('/account/totp', { schema: { response: { 204: NoContent } } }, (request) =>
    removeTotp(gate, getPerson(request)),
  );

  app.post(
    '/account/recovery-codes',
    { schema: { body: EmptyBody, response: { 200: RecoveryCodes } } },
    async (request) => {
      const { recoveryCodes } = await renewRecoveryCodes(gate, getPerson(request));
      return { recovery_codes: recoveryCodes };
    },
  );
}

async function describeAccount(
  { gate, config }: ConsoleTools,
  person: SessionCaller,
): Promise<Static<typeof AccountSchema>> {
  const { user, hasPassword, totpSince, recoveryCodesLeft, identities } = await readAccount(gate, person);
  const names = new Map(config.oidc.map(({ id, name }) => [id, name]));
  return {
    user: { id: user.id, email: user.email, name: user.name },
    has_password: hasPassword,
    totp: { enabled: totpSince !== null, since: totpSince },
    recovery_codes_left: recoveryCodesLeft,
    passkeys: (await listOwnPasskeys(gate, person)).map(toWirePasskey),
    device_keys: (await listOwnDeviceKeys(gate, person)).map(toWireDeviceKey),
    identities: identities.map(({ id, provider, display }) => ({
      id,
      provider: names.get(provider) ?? provider,
      display,
    })),
  };
}
