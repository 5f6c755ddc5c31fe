/** Permits as the gate's wire has them. */
import type { JsonObject, ProjectMode, ProofTier, Receipt } from '@permitry/protocol';

/** A permit, and what is about to be run under it. */
export interface PresentedPermit<P extends object = JsonObject> {
  token: string;
  /** The action about to run, as the executor knows it: never taken from the token. */
  action: string;
  /** The parameters it is about to run with. */
  params: P;
}

/** What the gate says of a permit that holds. */
export interface PermitVerification {
  valid: true;
  /** Whether it was held against an action and parameters. */
  bound: boolean;
  /** Whether the action may run. */
  authorizes: boolean;
  /** Whether this call was the one use. */
  consumed: boolean;
  intent_id: string;
  action: string;
  params_hash: string;
  policy_hash: string;
  /** What the approval reached. */
  proof_tier: ProofTier;
  approved_by: string;
  approved_at: string;
  /** End of the permit. */
  expires_at: string;
  mode: ProjectMode;
  /** Signed evidence of the approval; it never authorises. */
  receipt_v2: Receipt;
}

/** A permit that was consumed by this call: the action may run, once, now. */
export interface UsedPermit extends PermitVerification {
  authorizes: true;
  consumed: true;
}

/** Whose permits are taken back: name the intent, or one of its permits. */
export type RevokePermit = ({ intent_id: string } | { token: string }) & { reason?: string };

/** Every permit of this intent is refused from now on. */
export interface RevokedPermit {
  intent_id: string;
  revocation_status: 'revoked';
  revoked_at: string;
}
