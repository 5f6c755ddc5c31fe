/** The API types of proof sessions (surface A, `/api/verify/proof`). */
import type { JsonObject, ProofTier } from '@permitry/protocol';

/** Opens a session for one decision of the person whose credential calls. */
export interface StartProof {
  intent_id: string;
  decision: 'approve' | 'deny';
  method: 'device' | 'passkey';
}

/** Valid for five minutes and five tries. */
export interface StartedProof {
  proof_session: {
    /** `prf_…` */
    id: string;
    status: 'pending';
    method: 'device' | 'passkey';
    /** The bytes to sign: base64url of SHA-256(JCS{ intent_hash, decision, approver, nonce, exp }). */
    challenge: string;
    expires_at: string;
    /** For a passkey: options for `navigator.credentials.get`. For a device key: `{ keys, terms, intent }`. */
    options: JsonObject;
  };
}

/** The signature. */
export interface SubmitProof {
  proof_session_id: string;
  /** A passkey's credential as JSON (WebAuthn Level 3), or `{ jws }` from a device key. */
  signals: JsonObject;
}

/** `failed`: these signals prove nothing. Others may be submitted while tries remain. */
export interface SubmittedProof {
  proof_session: { id: string; status: 'completed' | 'failed'; proof_tier: ProofTier; tries_left: number };
}
