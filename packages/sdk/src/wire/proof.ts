/** Proof sessions as the gate's wire has them (surface A, `/api/verify/proof`). */
import type { JsonObject, ProofTier } from '@permitry/protocol';

/** For one decision of the person whose credential asks. */
export interface StartProof {
  intent_id: string;
  decision: 'approve' | 'deny';
  method: 'device' | 'passkey';
}

/** Open for five minutes and five tries. */
export interface StartedProof {
  proof_session: {
    /** `prf_…` */
    id: string;
    status: 'pending';
    method: 'device' | 'passkey';
    /** Base64url of SHA-256(JCS{ intent_hash, decision, approver, nonce, exp }): what is signed. */
    challenge: string;
    expires_at: string;
    /** Of a passkey: for `navigator.credentials.get`. Of a device key: `{ keys, terms, intent }`. */
    options: JsonObject;
  };
}

/** What was signed. */
export interface SubmitProof {
  proof_session_id: string;
  /** A passkey's credential as JSON (WebAuthn Level 3), or `{ jws }` of a device key. */
  signals: JsonObject;
}

/** `failed`: these signals prove nothing; others may be submitted while tries are left. */
export interface SubmittedProof {
  proof_session: { id: string; status: 'completed' | 'failed'; proof_tier: ProofTier; tries_left: number };
}
