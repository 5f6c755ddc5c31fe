import type { PasskeyEvidence } from '@permitry/protocol';
import type { Caller } from '../access/caller.ts';
import type { Gate } from '../gate.ts';
import type { Instant } from '../instant.ts';
import type { ProofSession } from './proof-session.ts';
import { invalidProof } from './submit-proof.ts';

/** A proof that can carry a vote; whoever casts it spends it in the vote's own transaction. */
export interface ReadyProof {
  id: string;
  method: ProofSession['method'];
  evidence: PasskeyEvidence;
}

/**
 * The completed proof a decision names: of this very person, who is there, for this intent and this decision.
 *
 * @throws GateError `invalid_proof`, in the same words for all that is wrong with it
 */
export async function findReadyProof(
  gate: Gate,
  caller: Caller,
  vote: { proofSessionId: string; intentId: string; decision: 'approve' | 'deny'; now: Instant },
): Promise<ReadyProof> {
  const session = await gate.storage.read.findProofSession(vote.proofSessionId);
  const fits =
    session !== undefined &&
    caller.kind === 'session' &&
    session.userId === caller.user.id &&
    // The address is part of what was signed, and of the approval.
    session.approver === caller.user.email &&
    session.intentId === vote.intentId &&
    session.decision === vote.decision &&
    session.status === 'completed' &&
    vote.now < session.expiresAt;
  if (!fits || session.evidence === null) throw invalidProof();
  return { id: session.id, method: session.method, evidence: session.evidence };
}
