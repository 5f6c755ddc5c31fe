import type { IdentityReader } from '../oidc/identity.ts';
import type { PasskeyReader } from '../passkeys/passkey.ts';
import type { PasswordReader } from '../passwords/password.ts';

/** The ways in which a person could sign in. */
export interface WaysIn {
  password: boolean;
  passkeys: number;
  identities: number;
}

export async function waysInOf(
  reader: IdentityReader & PasskeyReader & PasswordReader,
  userId: string,
): Promise<WaysIn> {
  const password = await reader.findPassword(userId);
  const passkeys = await reader.listPasskeys(userId);
  const identities = await reader.listIdentities(userId);
  return { password: password !== undefined, passkeys: passkeys.length, identities: identities.length };
}

export function countWaysIn({ password, passkeys, identities }: WaysIn): number {
  return (password ? 1 : 0) + passkeys + identities;
}
