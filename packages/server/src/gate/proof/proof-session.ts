/** Proof sessions: one person shows, for one decision on one intent, that it is they who decide (contract §8). */
import type {
  DeviceEvidence,
  IntentHashInput,
  JsonObject,
  PasskeyEvidence,
  ProofTerms,
} from '@permitry/protocol';
import type { Instant } from '../kernel/instant.ts';

export type ProofMethod = 'device' | 'passkey';

/** From its start to the vote it serves. */
export const PROOF_LIFETIME_SECONDS = 5 * 60;
/** Signals that may be submitted; each counts before it is looked at. */
export const MOST_PROOF_TRIES = 5;

/** What a device signed, with the terms it signed. */
export type ProofEvidence = PasskeyEvidence | DeviceEvidence;

export interface ProofSession {
  /** `prf_…`. */
  id: string;
  userId: string;
  /** The session or token that started it, and alone may go on with it; null where any session of the person may. */
  credentialId: string | null;
  /** The person's e-mail address, as it is hashed into the challenge. */
  approver: string;
  intentId: string;
  decision: 'approve' | 'deny';
  method: ProofMethod;
  nonce: string;
  /** Seconds since the epoch, as they are hashed into the challenge. */
  exp: number;
  tries: number;
  /** `spent`: a vote was cast with it. */
  status: 'pending' | 'completed' | 'spent';
  /** What the device signed; null until it is completed. */
  evidence: ProofEvidence | null;
  expiresAt: Instant;
}

export interface ProofReader {
  findProofSession(proofSessionId: string): Promise<ProofSession | undefined>;
}

/** Each change is one guarded statement; it answers whether this caller made it. */
export interface ProofWriter {
  insertProofSession(session: ProofSession): Promise<void>;
  /** Counts one try. Guard: pending, not past its time, fewer than `most` tries so far. */
  tryProofSession(proofSessionId: string, most: number, now: Instant): Promise<boolean>;
  /** Guard: pending, not past its time. */
  completeProofSession(proofSessionId: string, evidence: ProofEvidence, now: Instant): Promise<boolean>;
  /** Guard: completed, not past its time. */
  spendProofSession(proofSessionId: string, now: Instant): Promise<boolean>;
  /** All of a person: a device they give up proves nothing more. */
  deleteProofSessionsOf(userId: string): Promise<void>;
  /** Answers how many were deleted, at most `limit`. */
  deleteExpiredProofSessions(now: Instant, limit: number): Promise<number>;
}

/** What a passkey signed. Bytes are base64url. */
export type SignedAssertion = Omit<PasskeyEvidence, 'challenge'>;
/** What a device key signed. */
export type SignedDeviceProof = Omit<DeviceEvidence, 'challenge'>;

export type ProofVerdict<Tx> =
  /** `why` is for the log: to whoever submits it, every refusal is the same. */
  | { kind: 'refused'; why: string }
  | {
      kind: 'verified';
      assertion: SignedAssertion | SignedDeviceProof;
      /** Writes in the transaction of the success that the device was used; false when another use overtook it. */
      settle(tx: Tx): Promise<boolean>;
    };

/**
 * Knows the devices of people, and what they sign, by one method: WebAuthn, or keys in files. `Own` is what it takes of
 * the gate; `Tx` marks a device as used.
 */
export interface ProofVerifier<Own, Tx> {
  /** What the person's browser or program is to be asked, in the words of the method; undefined: they have no such device. */
  prepare(gate: Own, userId: string, asked: AskedProof): Promise<JsonObject | undefined>;
  /** Whether a device of this very person signed this challenge, with the person present and verified. */
  verify(
    gate: Own,
    given: { userId: string; challenge: string; signals: JsonObject },
  ): Promise<ProofVerdict<Tx>>;
}

/** What is to be signed, and what it stands for. */
interface AskedProof {
  challenge: string;
  terms: ProofTerms;
  /** All that a person is shown of the intent; its hash stands in the challenge. */
  intent: IntentHashInput;
}
