import { type Caller, isPerson } from '../access/caller.ts';
import type { Instant } from '../kernel/instant.ts';
import type { Storage } from '../kernel/storage.ts';
import { invalidProof, isOwnProof } from './own-proof.ts';
import type { ProofEvidence, ProofReader, ProofSession } from './proof-session.ts';

/** A proof that can carry a vote; whoever casts it spends it in the vote's own transaction. */
export interface ReadyProof {
  id: string;
  method: ProofSession['method'];
  evidence: ProofEvidence;
}

/**
 * The completed proof a decision names: of this very person, for this intent and this decision. One by passkey is theirs
 * at a browser; one by a device key goes with the session or token that asked for it.
 *
 * @throws GateError `invalid_proof`, in the same words for all that is wrong with it
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
    // The address is part of what was signed, and of the approval.
    session.approver === caller.user.email &&
    session.intentId === vote.intentId &&
    session.decision === vote.decision &&
    session.status === 'completed' &&
    vote.now < session.expiresAt;
  if (!fits || session.evidence === null) throw invalidProof();
  return { id: session.id, method: session.method, evidence: session.evidence };
}
