/**
 * What a client of 2026-07-28 brings back when its user has opened the link: which request of its own it speaks of.
 * Sealed by the gate's own encryption rather than only signed: it is bound to the credential, every gate of the database
 * can open it, and a state that was altered, made up or given to somebody else is none.
 */
import type { Caller } from '../../gate/access/caller.ts';
import type { SecretEncryption } from '../../gate/kernel/secret-encryption.ts';

export interface RequestState {
  requestId: string;
  /** Of the tool and its arguments: a state carries one call, and no other. */
  callHash: string;
}

export function sealRequestState(
  encryption: SecretEncryption,
  caller: Caller,
  { requestId, callHash }: RequestState,
): string {
  return encryption.encrypt(purposeFor(caller), `${requestId} ${callHash}`);
}

/** Undefined for what this credential was not given. */
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
