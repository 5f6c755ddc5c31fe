/** The reasons of refusals, in sentences for people. */
import type { EvidenceProblem, EvidenceRefusal, ReceiptRefusal } from '@permitry/protocol';

/** About the receipt as a whole. */
export const PROBLEM_SENTENCES: Record<EvidenceProblem | ReceiptRefusal, string> = {
  malformed: 'This is not a receipt, or it was altered.',
  not_a_receipt: 'This is another kind of token: a permit, a status list or an audit-log head.',
  content_mismatch: 'A member next to the jws differs from the jws itself.',
  action_mismatch: 'It is for another action.',
  params_mismatch: 'It is for other parameters.',
  intent_mismatch: 'The request given is not the one that was approved.',
  unknown_key: 'It names a key of the gate that is not in --jwks.',
  tampered: "The gate's signature is not valid.",
  wrong_issuer: 'It was issued by a gate other than --issuer.',
  expired: 'It has expired: after a year, the gate no longer vouches for a receipt.',
};

/** About one approval. */
export const FINDING_SENTENCES: Record<EvidenceRefusal, string> = {
  no_evidence: "No device of this approver signed anything. The approval rests on the gate's word alone.",
  unknown_approver: 'The key files have no entry for this address.',
  unknown_key: 'The key files do not contain this key of the approver.',
  other_decision: 'The approver signed a denial.',
  other_approver: 'It was signed in the name of somebody else.',
  late: 'The approval was counted after the time to sign it was over.',
  counted_twice: 'The same person is already listed.',
  malformed: 'The signed data is not what an authenticator or a device key produces.',
  other_challenge: 'The approver signed something else: another request, decision, person or time.',
  other_origin: 'It was signed on a page other than the one in the key file.',
  other_rp_id: 'It was signed for a domain other than the one in the key file.',
  cross_origin: 'It was signed inside a frame on another site.',
  not_present: 'Nobody was present when it was signed.',
  not_verified: 'The device did not verify who was using it.',
  tampered: "The approver's key did not sign this.",
};
