import { assertScope } from '../access/assert-scope.ts';
import type { Caller } from '../access/caller.ts';
import { notFound } from '../kernel/not-found.ts';
import type { SigningKey } from '../kernel/signing-key.ts';
import type { SigningKeyDeps } from './signing-key-deps.ts';

/**
 * The gate's signing keys, newest first. The keys sign for all projects, so a caller who may see them in one project
 * may see all of them.
 */
export function listSigningKeys(
  gate: Pick<SigningKeyDeps, 'tokens'>,
  caller: Caller,
  { projectId }: { projectId: string },
): readonly SigningKey[] {
  assertScope(caller, 'project:read', projectId);
  return gate.tokens.signer.keys().toReversed();
}

/** @throws GateError `not_found` */
export function getSigningKey(gate: Pick<SigningKeyDeps, 'tokens'>, kid: string): SigningKey {
  const key = gate.tokens.signer.keys().find((one) => one.kid === kid);
  if (!key) throw notFound('signing key');
  return key;
}
