/** Proof sessions: a person proves, for one decision on one intent, that they are the one who decides (contract §8). */
import type {
  DeviceEvidence,
  IntentHashInput,
  JsonObject,
  PasskeyEvidence,
  ProofTerms,
} from '@permitry/protocol';
import type { Instant } from '../kernel/instant.ts';

export type ProofMethod = 'device' | 'passkey';

/** From its start to the vote that uses it. */
export const PROOF_LIFETIME_SECONDS = 5 * 60;
/** The number of signals that may be submitted. Each counts before it is checked. */
export const MOST_PROOF_TRIES = 5;

/** What a device signed, with the signed terms. */
export type ProofEvidence = PasskeyEvidence | DeviceEvidence;

export interface ProofSession {
  /** `prf_…`. */
  id: string;
  userId: string;
  /** The session or token that started it and alone may continue it. Null when any session of the person may. */
  credentialId: string | null;
  /** The person's email address, exactly as hashed into the challenge. */
  approver: string;
  intentId: string;
  decision: 'approve' | 'deny';
  method: ProofMethod;
  nonce: string;
  /** Seconds since the epoch, exactly as hashed into the challenge. */
  exp: number;
  tries: number;
  /** `spent`: a vote used it. */
  status: 'pending' | 'completed' | 'spent';
  /** What the device signed. Null until it is completed. */
  evidence: ProofEvidence | null;
  expiresAt: Instant;
}

export interface ProofReader {
  findProofSession(proofSessionId: string): Promise<ProofSession | undefined>;
}

/** Each change is one guarded statement. It returns whether this caller made it. */
export interface ProofWriter {
  insertProofSession(session: ProofSession): Promise<void>;
  /** Counts one try. Guard: pending, not expired, fewer than `most` tries so far. */
  tryProofSession(proofSessionId: string, most: number, now: Instant): Promise<boolean>;
  /** Guard: pending, not expired. */
  completeProofSession(proofSessionId: string, evidence: ProofEvidence, now: Instant): Promise<boolean>;
  /** Guard: completed, not expired. */
  spendProofSession(proofSessionId: string, now: Instant): Promise<boolean>;
  /** All proof sessions of a person, because a device that they give up must prove nothing more. */
  deleteProofSessionsOf(userId: string): Promise<void>;
  /** Deletes at most `limit`, and returns how many. */
  deleteExpiredProofSessions(now: Instant, limit: number): Promise<number>;
}

/** What a passkey signed. Bytes are base64url. */
export type SignedAssertion = Omit<PasskeyEvidence, 'challenge'>;
/** What a device key signed. */
export type SignedDeviceProof = Omit<DeviceEvidence, 'challenge'>;

export type ProofVerdict<Tx> =
  /** `why` is for the log. The submitter gets the same refusal for every reason. */
  | { kind: 'refused'; why: string }
  | {
      kind: 'verified';
      assertion: SignedAssertion | SignedDeviceProof;
      /** Records in the transaction of the success that the device was used. False when another use came first. */
      settle(tx: Tx): Promise<boolean>;
    };

/**
 * Knows people's devices and signatures for one method: WebAuthn, or keys in files. `Own` is what it needs of the gate;
 * `Tx` marks a device as used.
 */
export interface ProofVerifier<Own, Tx> {
  /** What to ask the person's browser or program, in the terms of the method. Undefined: they have no such device. */
  prepare(gate: Own, userId: string, asked: AskedProof): Promise<JsonObject | undefined>;
  /** Whether a device of the same person signed this challenge, with the person present and verified. */
  verify(
    gate: Own,
    given: { userId: string; challenge: string; signals: JsonObject },
  ): Promise<ProofVerdict<Tx>>;
}

/** What to sign, and what it covers. */
interface AskedProof {
  challenge: string;
  terms: ProofTerms;
  /** Everything about the intent that a person is shown. The challenge includes its hash. */
  intent: IntentHashInput;
}
