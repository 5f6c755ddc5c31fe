import type { Caller } from '../access/caller.ts';
import { GateError, type GateErrorCode } from '../kernel/errors.ts';
import type { VerificationDeps } from './permit-deps.ts';
import { type VerifiedPermit, verifyPermit } from './verify.ts';

/** Refusals that mean no more than "not active" to whoever introspects. */
const NOT_ACTIVE: ReadonlySet<GateErrorCode> = new Set(['permit_invalid', 'intent_not_found']);

/**
 * Whether a permit could be used now (RFC 7662): everything that verification checks, without action and parameters.
 * Null for whatever could not, for whichever reason: used, expired, taken back, another project's, no permit at all.
 * Looks, and never consumes.
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
