import type { JsonObject, ProofTier } from '@permitry/protocol';
import type { Caller } from '../access/caller.ts';
import { invalidProof, isOwnProof } from '../proof/own-proof.ts';
import {
  MOST_PROOF_TRIES,
  type ProofEvidence,
  type ProofSession,
  type SignedAssertion,
  type SignedDeviceProof,
} from '../proof/proof-session.ts';
import { getIntent } from './find-intent.ts';
import type { ProofDeps } from './intent-deps.ts';
import { challengeOf, getProver, termsOf } from './start-proof.ts';

export interface SubmittedProof {
  session: ProofSession;
  /** `failed`: these signals prove nothing. The person may submit others while tries remain. */
  status: 'completed' | 'failed';
  proofTier: ProofTier;
  triesLeft: number;
}

/**
 * Accepts the signature of a person's device for their proof session. Every try counts. After a success no further try
 * is checked.
 *
 * @throws GateError `forbidden` for a caller who is not a person, `intent_not_found`. `invalid_proof`, always in the
 * same
 * words, for a session that is unknown, another person's or program's, expired, completed, or out of tries.
 */
export async function submitProof<Own, Tx>(
  gate: ProofDeps<Own, Tx>,
  caller: Caller,
  input: { proofSessionId: string; signals: JsonObject },
): Promise<SubmittedProof> {
  const prover = getProver(caller, 'device');
  const session = await gate.storage.read.findProofSession(input.proofSessionId);
  if (session === undefined || !isOwnProof(session, prover)) throw invalidProof();
  const person = getProver(prover, session.method);
  const intent = await getIntent(gate, person, session.intentId);
  // Counts the try first, in a transaction of its own. So a thousand simultaneous submissions are still at most five
  // tries.
  const isTry = await gate.storage.transaction((tx) =>
    tx.tryProofSession(session.id, MOST_PROOF_TRIES, gate.clock.now()),
  );
  if (!isTry) throw invalidProof();
  const triesLeft = Math.max(0, MOST_PROOF_TRIES - session.tries - 1);
  const failed: SubmittedProof = { session, status: 'failed', proofTier: 'none', triesLeft };

  const verdict = await gate.proofVerifiers[session.method].verify(gate, {
    userId: person.user.id,
    challenge: challengeOf(session, intent.intentHash),
    signals: input.signals,
  });
  if (verdict.kind === 'refused') return failed;
  const evidence = toEvidence(session, verdict.assertion);
  const isCompleted = await gate.storage
    .transaction(async (tx) => {
      if (!(await tx.completeProofSession(session.id, evidence, gate.clock.now()))) return false;
      if (!(await verdict.settle(tx))) throw new Overtaken();
      return true;
    })
    .catch(orFalseWhenOvertaken);
  return isCompleted ? { session, status: 'completed', proofTier: session.method, triesLeft } : failed;
}

/** Undoes the transaction. */
class Overtaken extends Error {}

function orFalseWhenOvertaken(error: unknown): false {
  if (error instanceof Overtaken) return false;
  throw error;
}

function toEvidence(session: ProofSession, assertion: SignedAssertion | SignedDeviceProof): ProofEvidence {
  const challenge = termsOf(session);
  if ('jws' in assertion) return { key_id: assertion.key_id, challenge, jws: assertion.jws };
  const { credential_id, rp_id, origin, authenticator_data, client_data_json, signature } = assertion;
  return {
    credential_id,
    rp_id,
    origin,
    challenge,
    authenticator_data,
    client_data_json,
    signature,
  };
}
