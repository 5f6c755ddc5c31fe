/**
 * The state that a 2026-07-28 client returns after its user opened the link. It names the request. It is sealed with
 * the gate's encryption, not only signed. It is bound to the credential, and every gate of the database can open it.
 * A state that was altered, forged or issued to another credential does not open.
 */
import type { Caller } from '../../gate/access/caller.ts';
import type { SecretEncryption } from '../../gate/kernel/secret-encryption.ts';

export interface RequestState {
  requestId: string;
  /** Hash of the tool and its arguments: a state is valid for one call only. */
  callHash: string;
}

export function sealRequestState(
  encryption: SecretEncryption,
  caller: Caller,
  { requestId, callHash }: RequestState,
): string {
  return encryption.encrypt(purposeFor(caller), `${requestId} ${callHash}`);
}

/** Returns undefined for a state that was not issued to this credential. */
export function openRequestState(
  encryption: SecretEncryption,
  caller: Caller,
  sealed: string,
): RequestState | undefined {
  const [requestId, callHash] = encryption.decrypt(purposeFor(caller), sealed)?.split(' ') ?? [];
  return requestId === undefined || callHash === undefined ? undefined : { requestId, callHash };
}

function purposeFor({ credentialId }: Caller): string {
  return `mcp-request-state ${credentialId}`;
}
