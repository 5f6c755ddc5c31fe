/** The API types of permits. */
import type { JsonObject, ProjectMode, ProofTier, Receipt } from '@permitry/protocol';

/** A permit, and what is about to run under it. */
export interface PresentedPermit<P extends object = JsonObject> {
  token: string;
  /** The action that is about to run, as the executor knows it. Never take it from the token. */
  action: string;
  /** The parameters that it is about to run with. */
  params: P;
}

/** What the gate says about a valid permit. */
export interface PermitVerification {
  valid: true;
  /** Whether it was checked against an action and parameters. */
  bound: boolean;
  /** Whether the action may run. */
  authorizes: boolean;
  /** Whether this call was the single use. */
  consumed: boolean;
  intent_id: string;
  action: string;
  params_hash: string;
  policy_hash: string;
  /** The tier that the approval achieved. */
  proof_tier: ProofTier;
  approved_by: string;
  approved_at: string;
  /** When the permit expires. */
  expires_at: string;
  mode: ProjectMode;
  /** Signed record of the approval. It never authorises. */
  receipt_v2: Receipt;
}

/** A permit that this call consumed. The caller may now run the action once. */
export interface UsedPermit extends PermitVerification {
  authorizes: true;
  consumed: true;
}

/** Revokes all permits of one intent: name the intent, or one of its permits. */
export type RevokePermit = ({ intent_id: string } | { token: string }) & { reason?: string };

/** Every permit of this intent is refused from now on. */
export interface RevokedPermit {
  intent_id: string;
  revocation_status: 'revoked';
  revoked_at: string;
}
