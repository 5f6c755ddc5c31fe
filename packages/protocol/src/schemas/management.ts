/** Bodies and answers of the management paths (`/v1/projects/:id/…`). */
import Type from 'typebox';
import type { AuditRecord } from '../audit-record.ts';
import { PROJECT_MODES, REVOCATION_STATUSES, ROLES } from '../vocabulary.ts';
import { FreeObject, Hash, Id, Nullable, StrictObject, Timestamp } from './forms.ts';
import { PolicyProposalSchema } from './policy.ts';
import { RiskTierSchema } from './request.ts';

export const ProjectSchema = StrictObject({
  id: Id('prj', 'Project.'),
  name: Type.String(),
  mode: Type.Enum([...PROJECT_MODES]),
  stopped: Type.Boolean(),
  stopped_at: Nullable(Timestamp),
  policy_second_person: Type.Boolean({
    description: 'Whether the two-person rule is on: another person must approve each policy change.',
  }),
  created_at: Timestamp,
});

/** The credential of a request. */
export const MeSchema = StrictObject({
  kind: Type.Enum(['agent', 'secret', 'verify', 'user', 'session']),
  credential_id: Type.String({ description: 'ID of the key, token or session.' }),
  name: Nullable(Type.String({ description: 'Name of the key or token.' })),
  user_id: Nullable(Type.String({ description: 'The person who calls, or who answers for a secret key.' })),
  email: Nullable(Type.String()),
  agent: Nullable(StrictObject({ id: Id('agt', 'Agent.'), name: Type.String() })),
  rights: Type.Array(Type.Enum(['decide', 'manage']), {
    description: 'What an access token may do beyond reading.',
  }),
  expires_at: Nullable(Timestamp),
  projects: Type.Array(
    StrictObject({
      id: Id('prj', 'Project.'),
      name: Type.String(),
      mode: Type.Enum([...PROJECT_MODES]),
      role: Nullable(
        Type.Enum([...ROLES], {
          description: 'The person in whose name it acts. Null for agents and executors.',
        }),
      ),
    }),
  ),
});

export const RevokedMeSchema = StrictObject({
  credential_id: Id('key', 'The token.'),
  revoked_at: Timestamp,
});

export const StoppedSchema = StrictObject({ stopped: Type.Boolean(), stopped_at: Nullable(Timestamp) });

export const PublicKeySchema = StrictObject({
  kid: Type.String(),
  alg: Type.Literal('ES256'),
  public_key_pem: Type.String({ description: 'SubjectPublicKeyInfo, PEM (RFC 7468).' }),
  public_key_jwk: FreeObject,
  jwks_url: Type.String(),
});

export const SigningKeySchema = StrictObject({
  kid: Type.String({ description: 'RFC 7638 thumbprint.' }),
  state: Type.Enum(['next', 'active', 'retired', 'compromised']),
  created_at: Timestamp,
  activated_at: Nullable(Timestamp),
  retired_at: Nullable(Timestamp),
  compromised_at: Nullable(Timestamp),
});

/** An approval whose receipt or latest permit was signed by the given key, or by a compromised key if none is given. */
export const SignedApprovalSchema = StrictObject({
  intent_id: Id('int', 'Intent.'),
  action: Type.String(),
  approved_by: Nullable(Type.String()),
  approved_at: Nullable(Timestamp),
  consumed_at: Nullable(Timestamp),
  receipt: Nullable(
    StrictObject({
      receipt_id: Id('rct', 'Receipt.'),
      revocation_status: Type.Enum([...REVOCATION_STATUSES]),
      receipt_expires_at: Timestamp,
    }),
  ),
  unused_permit: Nullable(StrictObject({ id: Id('pmt', 'Permit.'), expires_at: Timestamp })),
});

const AGENT_NAME = Type.String({ minLength: 1, maxLength: 100 });
const FINGERPRINT = Type.String({ minLength: 1, maxLength: 200 });
const FRAMEWORK = Type.String({ minLength: 1, maxLength: 100 });
const LABELS = Type.Record(
  Type.String(),
  Type.Union([Type.String({ maxLength: 200 }), Type.Number(), Type.Boolean()]),
  { maxProperties: 32, description: 'Names of 1 to 63 letters, digits and . _ / -.' },
);

export const RegisterAgent = StrictObject({
  name: AGENT_NAME,
  fingerprint: Type.Optional(FINGERPRINT),
  framework: Type.Optional(FRAMEWORK),
  labels: Type.Optional(LABELS),
  risk_tier: Type.Optional(RiskTierSchema),
});

const OWNER_TO_BE = Type.String({
  minLength: 1,
  maxLength: 64,
  description:
    'Takes over the agent: your own user ID. Removes the expiry that its keys got when its owner left.',
});

export const UpdateAgent = StrictObject({
  name: Type.Optional(AGENT_NAME),
  fingerprint: Type.Optional(Nullable(FINGERPRINT)),
  framework: Type.Optional(Nullable(FRAMEWORK)),
  labels: Type.Optional(LABELS),
  risk_tier: Type.Optional(RiskTierSchema),
  owner_id: Type.Optional(OWNER_TO_BE),
});

const AGENT = {
  id: Id('agt', 'Agent.'),
  name: Type.String(),
  status: Type.Enum(['active', 'paused', 'revoked']),
  fingerprint: Nullable(Type.String()),
  framework: Nullable(Type.String()),
  labels: FreeObject,
  risk_tier: RiskTierSchema,
  owner_id: Nullable(
    Type.String({
      description: 'The person who answers for it. Null: the operator registered it and named nobody.',
    }),
  ),
  keys_end_at: Nullable(
    Type.String({
      description:
        'When the keys expire that the agent had when its owner left the project, unless another person takes it over. Null while the owner is a member.',
    }),
  ),
  created_at: Timestamp,
  last_seen_at: Nullable(Timestamp),
};

export const AgentSchema = StrictObject(AGENT);

/** The agent as it is. If another person must approve the change first, also the change that awaits approval. */
export const UpdatedAgentSchema = StrictObject({
  ...AGENT,
  proposal: Type.Optional(
    Type.Unsafe<Type.Static<typeof PolicyProposalSchema>>({
      ...PolicyProposalSchema,
      title: 'Proposed change of the agent',
      description:
        'Nothing has changed yet, because another person must approve this proposal. Only with status 202.',
    }),
  ),
});

export const CreateKey = StrictObject({
  kind: Type.Enum(['agent', 'secret', 'verify']),
  name: Type.String({ minLength: 1, maxLength: 100 }),
  agent_id: Type.Optional(Id('agt', 'The agent that the key belongs to. Required for kind agent.')),
  expires_at: Type.Optional(Timestamp),
  rate_limit_per_minute: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 1_000_000, description: 'A smaller limit for this key.' }),
  ),
});

const KEY = {
  id: Id('key', 'Key.'),
  kind: Type.Enum(['agent', 'secret', 'verify']),
  name: Type.String(),
  hint: Type.String({ description: 'The last four characters.' }),
  agent_id: Nullable(Type.String()),
  owner_id: Nullable(Type.String()),
  rate_limit_per_minute: Nullable(Type.Integer()),
  created_at: Timestamp,
  expires_at: Nullable(Timestamp),
  revoked_at: Nullable(Timestamp),
  last_used_at: Nullable(Timestamp),
};

export const KeySchema = StrictObject(KEY);
export const CreatedKey = StrictObject({
  ...KEY,
  key: Type.Optional(Type.String({ description: 'The key itself, shown only this once.' })),
});

export const AddMember = StrictObject({
  email: Type.String({ minLength: 3, maxLength: 254 }),
  role: Type.Enum([...ROLES]),
});
export const ChangeMember = StrictObject({ role: Type.Enum([...ROLES]) });
export const MemberSchema = StrictObject({
  id: Id('usr', 'The person.'),
  email: Type.String(),
  role: Type.Enum([...ROLES]),
  created_at: Timestamp,
});

const GROUP_MEMBERS = Type.Array(Type.String({ minLength: 1, maxLength: 254 }), {
  maxItems: 1000,
  uniqueItems: true,
  description: 'Email addresses or IDs of members of the project.',
});
export const SaveGroup = StrictObject({ members: GROUP_MEMBERS });
export const CreateGroup = StrictObject({
  name: Type.String({ minLength: 1, maxLength: 64 }),
  members: Type.Optional(GROUP_MEMBERS),
});
export const GroupSchema = StrictObject({
  id: Type.String({ description: 'Same as name.' }),
  name: Type.String(),
  members: Type.Array(Type.String(), { description: 'Email addresses.' }),
  created_at: Timestamp,
});

export const PolicySchema = StrictObject({
  id: Type.String({ description: 'Same as hash.' }),
  version: Type.Integer(),
  hash: Hash,
  policy: FreeObject,
  created_at: Timestamp,
  created_by: Type.String(),
  warnings: Type.Optional(Type.Array(StrictObject({ path: Type.String(), message: Type.String() }))),
});

export const AuditRecordSchema = StrictObject(
  {
    id: Id('evt', 'Event.'),
    seq: Type.Integer({ description: 'Place in the project’s chain, from 1, without gaps.' }),
    type: Type.String({ description: 'One of the closed list, e.g. intent.created.' }),
    occurred_at: Timestamp,
    actor: StrictObject({ type: Type.String(), id: Type.String(), display: Nullable(Type.String()) }),
    intent_id: Nullable(Type.String()),
    data: FreeObject,
    commitments: Type.Unsafe<AuditRecord['commitments']>({
      type: 'object',
      additionalProperties: StrictObject({ digest: Hash, salt: Nullable(Type.String()) }),
      description: 'Salted digests of texts that may be erased, keyed by JSON Pointer.',
    }),
    event_hash: Hash,
    prev_hash: Hash,
    hash: Hash,
  },
  { title: 'Audit record' },
);

const AuditPosition = StrictObject({ seq: Type.Integer({ minimum: 0 }), hash: Hash });

/** The first line of an export. Audit records follow. */
export const AuditExportHeaderSchema = StrictObject(
  {
    format: Type.String(),
    project_id: Id('prj', 'Project.'),
    issuer: Type.String(),
    exported_at: Timestamp,
    jwks: FreeObject,
    head: Nullable(
      Type.String({
        description:
          'The signed head (JWS) that the records lead up to. Null when the log is empty or continues after a part.',
      }),
    ),
    part: Type.Optional(
      StrictObject(
        { after: AuditPosition, through: AuditPosition },
        {
          description:
            'Present when the file holds a part of the log: the record before its first (seq 0: none), and its last. They are equal when it holds no record.',
        },
      ),
    ),
  },
  { title: 'Audit export header' },
);

export const AuditVerificationSchema = StrictObject({
  valid: Type.Boolean(),
  count: Type.Integer(),
  sealed_through: Type.Integer(),
  unsealed: Type.Integer(),
  head: Nullable(StrictObject({ seq: Type.Integer(), hash: Hash, sealed_at: Timestamp, jws: Type.String() })),
  first_bad: Type.Optional(
    StrictObject({
      seq: Nullable(Type.Integer()),
      id: Nullable(Type.String()),
      problem: Type.String(),
      message: Type.String(),
    }),
  ),
});

/** A page of any items, newest first. */
export function Page<T extends Type.TSchema>(item: T) {
  return StrictObject({ data: Type.Array(item), next_cursor: Nullable(Type.String()) });
}
