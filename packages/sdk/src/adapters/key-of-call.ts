import { canonicalJson } from '@permitry/protocol';

/** An idempotency key that any two processes derive for the same call, and for no other one. */
export async function keyOfCall(scope: string, toolName: string, callId: string): Promise<string> {
  const bytes = new TextEncoder().encode(canonicalJson([scope, toolName, callId]));
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return `call-${Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}
