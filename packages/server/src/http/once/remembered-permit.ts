/**
 * Permit tokens in stored answers. A stored answer contains only the permit's id. The token is read again from the
 * permit's own record.
 */
import { decodeCompactJws, PERMIT_TYP } from '@permitry/protocol';
import { permitInvalid } from '../../gate/tokens/permit-refusal.ts';
import type { GateParts } from '../../open-gate.ts';

/** The id of one of our permits. */
export function toPermitId(token: string): string {
  const decoded = decodeCompactJws(token, { typ: [PERMIT_TYP.live, PERMIT_TYP.test] });
  const id = decoded.ok ? decoded.claims.jti : undefined;
  if (typeof id !== 'string') throw new Error('an answer holds a permit that is not one of ours');
  return id;
}

/** The token of a permit of this intent, by an id from `toPermitId`. */
export async function toPermitToken(gate: GateParts, intentId: string, permitId: string): Promise<string> {
  const permit = await gate.storage.read.findPermit(intentId, permitId);
  if (!permit) throw permitInvalid('revoked');
  return permit.token;
}
