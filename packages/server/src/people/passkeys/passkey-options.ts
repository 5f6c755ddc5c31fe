import type { JsonObject } from '@permitry/protocol';
import type { PeopleDeps } from '../people-deps.ts';
import type { Passkey } from './passkey.ts';
import { CEREMONY_TIMEOUT_MS } from './passkey-challenges.ts';
import { relyingPartyOf } from './relying-party.ts';

/**
 * The browser's request to an authenticator (`PublicKeyCredentialRequestOptionsJSON`): sign this challenge, and verify
 * the person.
 * @param allowed The passkeys to accept. Empty: any passkey that the person has for this gate.
 * @throws GateError `conflict` when the gate is served under an IP address
 */
export function requestOptions(
  gate: Pick<PeopleDeps<'issuer'>, 'issuer'>,
  challenge: string,
  allowed: readonly Passkey[] = [],
): JsonObject {
  return {
    challenge,
    rpId: relyingPartyOf(gate.issuer).rpId,
    allowCredentials: allowed.map(toDescriptor),
    userVerification: 'required',
    timeout: CEREMONY_TIMEOUT_MS,
  };
}

/** How a browser finds a passkey (`PublicKeyCredentialDescriptorJSON`). */
export function toDescriptor({ credentialId, transports }: Passkey): JsonObject {
  return { id: credentialId, type: 'public-key', transports: [...transports] };
}
