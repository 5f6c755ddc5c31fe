import type { Caller } from '../access/caller.ts';
import { GateError, type GateErrorCode } from '../kernel/errors.ts';
import type { VerificationDeps } from './permit-deps.ts';
import { type VerifiedPermit, verifyPermit } from './verify.ts';

/** Refusals that mean only "not active" to the caller of introspection. */
const NOT_ACTIVE: ReadonlySet<GateErrorCode> = new Set(['permit_invalid', 'intent_not_found']);

/**
 * Whether a permit could be used now (RFC 7662). Checks everything that verification checks, except action and
 * parameters. Null for any text that could not be used: a used, expired or revoked permit, another project's permit, or
 * another text. Never consumes.
 *
 * @throws GateError `forbidden` for a credential that may not verify
 */
export async function introspectPermit(
  gate: VerificationDeps,
  caller: Caller,
  token: string,
): Promise<VerifiedPermit | null> {
  try {
    return await verifyPermit(gate, caller, { token, consume: false });
  } catch (error) {
    if (error instanceof GateError && NOT_ACTIVE.has(error.code)) return null;
    throw error;
  }
}
