import Type from 'typebox';
import { PROOF_TIERS, REVOCATION_STATUSES } from '../vocabulary.ts';
import { Action, Hash, Id, StrictObject, Timestamp } from './common.ts';

/** `receipt_v2`: signed evidence of an approval. It never authorises. */
export const ReceiptSchema = StrictObject(
  {
    receipt_version: Type.Literal(2),
    receipt_id: Id('rct', 'Receipt.'),
    intent_id: Id('int', 'Intent.'),
    intent_hash: Hash,
    action: Action,
    params_hash: Hash,
    policy_hash: Hash,
    proof_tier: Type.Enum([...PROOF_TIERS], { description: 'The tier in force.' }),
    proof_tier_achieved: Type.Enum([...PROOF_TIERS], { description: 'What the approval reached.' }),
    approved_by: Type.String({ description: 'E-mail address, or policy:<rule>.' }),
    approved_at: Timestamp,
    issued_at: Timestamp,
    receipt_expires_at: Timestamp,
    kid: Type.String({ description: 'Identifier of the signing key.' }),
    jws: Type.String({ description: 'The same content without revocation_status, signed.' }),
    revocation_status: Type.Enum([...REVOCATION_STATUSES], { description: 'As of this answer.' }),
  },
  { title: 'Receipt', description: 'Signed evidence of an approval; it never authorises.' },
);
