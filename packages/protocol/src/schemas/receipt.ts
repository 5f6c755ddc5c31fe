import Type from 'typebox';
import { APPROVAL_METHODS, PROOF_TIERS, REVOCATION_STATUSES } from '../vocabulary.ts';
import { Hash, Id, StrictObject, Timestamp } from './forms.ts';
import { Action } from './request.ts';

const Bytes = Type.String({ pattern: '^[A-Za-z0-9_-]+$', description: 'Base64url.' });

const SignedTerms = StrictObject(
  {
    decision: Type.Enum(['approve', 'deny']),
    approver: Type.String({ description: 'Email address.' }),
    nonce: Type.String(),
    exp: Type.Integer({ description: 'Seconds since the epoch. The decision came before.' }),
  },
  {
    description:
      'Together with intent_hash, these are signed: SHA-256(JCS{ intent_hash, decision, approver, nonce, exp }).',
  },
);

/** What an approver's device key signed. */
const DeviceEvidenceSchema = StrictObject(
  {
    key_id: Type.String({ description: 'RFC 7638 thumbprint of the key.' }),
    challenge: SignedTerms,
    jws: Type.String({ description: 'JWS in compact form: ES256, typ device-proof+jwt, { challenge }.' }),
  },
  { title: 'Device evidence' },
);

/** What an approver's passkey signed: a WebAuthn assertion. */
export const PasskeyEvidenceSchema = StrictObject(
  {
    credential_id: Bytes,
    rp_id: Type.String({ description: 'The domain that the passkey belongs to.' }),
    origin: Type.String({ description: 'The page that asked for the signature.' }),
    challenge: SignedTerms,
    authenticator_data: Bytes,
    client_data_json: Bytes,
    signature: Bytes,
  },
  { title: 'Passkey evidence' },
);

/** `receipt_v2`: a signed record of an approval. It never authorises. */
export const ReceiptSchema = StrictObject(
  {
    receipt_version: Type.Literal(2),
    receipt_id: Id('rct', 'Receipt.'),
    intent_id: Id('int', 'Intent.'),
    intent_hash: Hash,
    action: Action,
    params_hash: Hash,
    policy_hash: Hash,
    proof_tier: Type.Enum([...PROOF_TIERS], { description: 'The effective tier.' }),
    proof_tier_achieved: Type.Enum([...PROOF_TIERS], { description: 'What the approval reached.' }),
    approved_by: Type.String({ description: 'Email address, or policy:<rule>.' }),
    approved_at: Timestamp,
    issued_at: Timestamp,
    receipt_expires_at: Timestamp,
    kid: Type.String({ description: 'Identifier of the signing key.' }),
    approvals: Type.Optional(
      Type.Array(
        StrictObject({
          by: Type.String(),
          at: Timestamp,
          method: Type.Enum([...APPROVAL_METHODS]),
          passkey: Type.Optional(PasskeyEvidenceSchema),
          device: Type.Optional(DeviceEvidenceSchema),
        }),
        {
          description:
            'Present when somebody approved with a passkey or a device key. All approvals that counted, verifiable without trusting the gate.',
        },
      ),
    ),
    jws: Type.String({ description: 'The same content without revocation_status, signed.' }),
    revocation_status: Type.Enum([...REVOCATION_STATUSES], { description: 'As of this answer.' }),
  },
  { title: 'Receipt', description: 'Signed record of an approval. It never authorises.' },
);
