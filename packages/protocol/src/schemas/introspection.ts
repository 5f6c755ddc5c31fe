/** Token introspection (RFC 7662): the request as a form, and the answer. */
import Type from 'typebox';
import { APPROVAL_METHODS, PROJECT_MODES } from '../vocabulary.ts';
import { Hash, Id, StrictObject, Timestamp } from './forms.ts';
import { PresentedToken } from './presented.ts';
import { Action, ProofTierSchema } from './request.ts';

/** RFC 7662 §2.1. */
export const IntrospectB = StrictObject(
  {
    token: PresentedToken,
    token_type_hint: Type.Optional(
      Type.String({ description: 'Ignored, because only one kind of token can be active.' }),
    ),
  },
  { title: 'Introspection request' },
);

const EpochSeconds = Type.Integer({ description: 'Seconds since the epoch.' });

/** RFC 7662 §2.2; `txn` as in RFC 8417. The members after `token_type` are this gate's own. */
const ActiveToken = StrictObject(
  {
    active: Type.Literal(true),
    iss: Type.String({ description: 'base_url of the gate.' }),
    aud: Id('prj', 'The project.'),
    sub: Type.String({ description: 'The requester: an agent’s ID, or key:<id>.' }),
    jti: Id('pmt', 'The permit.'),
    iat: EpochSeconds,
    nbf: EpochSeconds,
    exp: EpochSeconds,
    txn: Id('int', 'The intent.'),
    token_type: Type.Literal('N_A', {
      description: 'Not an access token (RFC 8693 §2.2.1). It is used with its action and parameters.',
    }),
    mode: Type.Enum([...PROJECT_MODES]),
    action: Action,
    params_hash: Hash,
    intent_hash: Hash,
    policy_hash: Hash,
    proof_tier: ProofTierSchema,
    approval: StrictObject({
      by: Type.Array(Type.String()),
      at: Timestamp,
      method: Type.Enum([...APPROVAL_METHODS]),
    }),
  },
  { title: 'Active token' },
);

/** No other member, because introspection does not reveal why a token is inactive. */
const InactiveToken = StrictObject({ active: Type.Literal(false) }, { title: 'Inactive token' });

export const Introspection = Type.Union([ActiveToken, InactiveToken]);
