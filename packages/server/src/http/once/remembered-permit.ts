/** Permit tokens in remembered answers: kept by the permit's id, read again from where they live. */
import { decodeCompactJws, PERMIT_TYP } from '@permitry/protocol';
import { permitInvalid } from '../../gate/tokens/permit-refusal.ts';
import type { GateParts } from '../../open-gate.ts';

/** The id of a permit of ours. */
export function toPermitId(token: string): string {
  const decoded = decodeCompactJws(token, { typ: [PERMIT_TYP.live, PERMIT_TYP.test] });
  const id = decoded.ok ? decoded.claims.jti : undefined;
  if (typeof id !== 'string') throw new Error('an answer holds a permit that is not one of ours');
  return id;
}

/** The token behind an id that `toPermitId` gave, of a permit of this intent. */
export async function toPermitToken(gate: GateParts, intentId: string, permitId: string): Promise<string> {
  const permit = await gate.storage.read.findPermit(intentId, permitId);
  if (!permit) throw permitInvalid('revoked');
  return permit.token;
}
