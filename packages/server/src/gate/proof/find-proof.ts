import { type Caller, isPerson } from '../access/caller.ts';
import type { Instant } from '../kernel/instant.ts';
import type { Storage } from '../kernel/storage.ts';
import { invalidProof, isOwnProof } from './own-proof.ts';
import type { ProofEvidence, ProofReader, ProofSession } from './proof-session.ts';

/** A completed proof for a vote. The vote's own transaction uses it up. */
export interface ReadyProof {
  id: string;
  method: ProofSession['method'];
  evidence: ProofEvidence;
}

/**
 * The completed proof that a decision names: by the same person, for this intent and this decision. A passkey proof is
 * valid in any browser session of the person. A device key proof is valid only for the session or token that started
 * it.
 *
 * @throws GateError `invalid_proof`, in the same words for every problem
 */
export async function findReadyProof(
  gate: { storage: Storage<ProofReader> },
  caller: Caller,
  vote: { proofSessionId: string; intentId: string; decision: 'approve' | 'deny'; now: Instant },
): Promise<ReadyProof> {
  const session = await gate.storage.read.findProofSession(vote.proofSessionId);
  const fits =
    session !== undefined &&
    isPerson(caller) &&
    isOwnProof(session, caller) &&
    (session.method === 'device' || caller.kind === 'session') &&
    // The signature and the approval both include the address, so it must not have changed.
    session.approver === caller.user.email &&
    session.intentId === vote.intentId &&
    session.decision === vote.decision &&
    session.status === 'completed' &&
    vote.now < session.expiresAt;
  if (!fits || session.evidence === null) throw invalidProof();
  return { id: session.id, method: session.method, evidence: session.evidence };
}
