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

/** Seconds from the start of a proof to the vote that uses it, at most. */
export const PROOF_LIFETIME_SECONDS = 5 * 60;
/** The number of signals that may be submitted. Each one counts before it is checked. */
export const MOST_PROOF_TRIES = 5;

/** The signed terms, with the signature of a passkey or device key. */
export type ProofEvidence = PasskeyEvidence | DeviceEvidence;

export interface ProofSession {
  /** `prf_…`. */
  id: string;
  userId: string;
  /** The session or token that started the proof and alone may continue it. Null when any session of the person may. */
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
  /** `spent`: a vote used the proof. */
  status: 'pending' | 'completed' | 'spent';
  /** The signed content. Null until the proof is completed. */
  evidence: ProofEvidence | null;
  expiresAt: Instant;
}

export interface ProofReader {
  findProofSession(proofSessionId: string): Promise<ProofSession | undefined>;
}

/** Each change is one guarded statement. Its result is whether this caller made the change. */
export interface ProofWriter {
  insertProofSession(session: ProofSession): Promise<void>;
  /** Counts one try. Guard: pending, not expired, fewer than `most` tries so far. */
  tryProofSession(proofSessionId: string, most: number, now: Instant): Promise<boolean>;
  /** Guard: pending, not expired. */
  completeProofSession(proofSessionId: string, evidence: ProofEvidence, now: Instant): Promise<boolean>;
  /** Guard: completed, not expired. */
  spendProofSession(proofSessionId: string, now: Instant): Promise<boolean>;
  /** Deletes all proof sessions of a person, because a device that they remove must prove nothing more. */
  deleteProofSessionsOf(userId: string): Promise<void>;
  /** Deletes at most `limit` expired proof sessions, and returns how many. */
  deleteExpiredProofSessions(now: Instant, limit: number): Promise<number>;
}

/** The content that a passkey signed. Bytes are base64url. */
export type SignedAssertion = Omit<PasskeyEvidence, 'challenge'>;
/** The content that a device key signed. */
export type SignedDeviceProof = Omit<DeviceEvidence, 'challenge'>;

export type ProofVerdict<Tx> =
  /** `why` is for the log. The answer to the person is the same for every reason. */
  | { kind: 'refused'; why: string }
  | {
      kind: 'verified';
      assertion: SignedAssertion | SignedDeviceProof;
      /**
       * Records, in the transaction that completes the proof, that the device was used. False when another use came
       * first.
       */
      settle(tx: Tx): Promise<boolean>;
    };

/**
 * Knows people's devices and signatures for one method: WebAuthn, or keys in files. `Own` is the verifier's own
 * dependencies;
 * `Tx` is what marks a device as used.
 */
export interface ProofVerifier<Own, Tx> {
  /**
   * The input for the person's browser or program, in the terms of the method. Undefined: the person has no such
   * device.
   */
  prepare(gate: Own, userId: string, asked: AskedProof): Promise<JsonObject | undefined>;
  /** Whether a device of the same person signed this challenge, with the person present and verified. */
  verify(
    gate: Own,
    given: { userId: string; challenge: string; signals: JsonObject },
  ): Promise<ProofVerdict<Tx>>;
}

/** The challenge to sign, and the content that it covers. */
interface AskedProof {
  challenge: string;
  terms: ProofTerms;
  /** Everything about the intent that the person is shown. The challenge includes its hash. */
  intent: IntentHashInput;
}
