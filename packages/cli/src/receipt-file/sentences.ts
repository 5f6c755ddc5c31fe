/** The reasons of refusals, in sentences for people. */
import type { EvidenceProblem, EvidenceRefusal, ReceiptRefusal } from '@permitry/protocol';

/** About the receipt as a whole. */
export const PROBLEM_SENTENCES: Record<EvidenceProblem | ReceiptRefusal, string> = {
  malformed: 'This is no receipt, or one that was altered.',
  not_a_receipt: 'This is another token: a permit, a status list or the head of an audit log.',
  content_mismatch: 'A member beside the jws says something else than the jws itself.',
  action_mismatch: 'It is for another action.',
  params_mismatch: 'It is for other parameters.',
  intent_mismatch: 'The intent given is not what was approved.',
  unknown_key: 'It names a key of the gate that --jwks does not have.',
  tampered: "The gate's signature is wrong.",
  wrong_issuer: 'It was issued by another gate than --issuer.',
  expired: 'It is past its year: as evidence the gate itself vouches for it no more.',
};

/** About one approval. */
export const FINDING_SENTENCES: Record<EvidenceRefusal, string> = {
  no_evidence: "No device of theirs signed anything: this approval is the gate's word.",
  unknown_approver: 'The key files name nobody of this address.',
  unknown_key: 'The key files do not have this key of theirs.',
  other_decision: 'What they signed is a denial.',
  other_approver: 'What was signed is in the name of somebody else.',
  late: 'The approval counted after what they signed had run out.',
  counted_twice: 'The same person stands there already.',
  malformed: 'What was signed is not what an authenticator or a device key writes.',
  other_challenge: 'They signed something else: another intent, decision, person or time.',
  other_origin: 'It was signed on another page than the key file names.',
  other_rp_id: 'It was signed for another domain than the key file names.',
  cross_origin: 'It was signed in a frame of another site.',
  not_present: 'Nobody was there when it was signed.',
  not_verified: 'The device did not make sure who it was.',
  tampered: 'Their key did not sign this.',
};
