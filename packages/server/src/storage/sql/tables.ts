/**
 * The tables as rows: instants are ISO text, JSON is text, flags and counts are integers, absent is null. One list, however
 * long: it is looked up by the name of a table.
 */
import type {
  ApprovalMethod,
  EventType,
  IntentDecision,
  IntentStatus,
  Outcome,
  ProjectMode,
  ProofTier,
  RiskTier,
  Role,
  SourceType,
} from '@permitry/protocol';
import type { Generated, Selectable } from 'kysely';
import type { AgentStatus } from '../../gate/access/agent-identity.ts';
import type { Actor } from '../../gate/access/caller.ts';
import type { KeyKind } from '../../gate/access/credential.ts';
import type { ErasureSubject } from '../../gate/erasure/unfinished-erasure.ts';
import type { ProposalStatus, ProposedChange } from '../../gate/four-eyes/policy-proposal.ts';
import type { Requester } from '../../gate/intents/intent.ts';
import type { Instant } from '../../gate/kernel/instant.ts';
import type { NotificationKind } from '../../gate/notifications/kinds.ts';
import type { Channel, DoneState } from '../../gate/notifications/notification.ts';
import type { ShadowCount } from '../../gate/policy-management/shadow/shadow-policy.ts';
import type { ProofSession } from '../../gate/proof/proof-session.ts';
import type { ConnectorRequest } from '../../gate/tools/connector-request.ts';
import type { UpstreamKind, UpstreamToolState } from '../../gate/upstreams/upstream.ts';
import type {
  DeliveryKind,
  DeliveryState,
  DisabledReason,
  NewDelivery,
} from '../../gate/webhooks/webhook.ts';
import type { Pairing } from '../../people/pairings/pairing.ts';
import type { PasskeyChallenge } from '../../people/passkeys/passkey.ts';

/** JSON text (RFC 8259). */
export type Json = string;

/** Time-ordered integer primary key, given by the database; never leaves storage. */
type Seq = Generated<number>;

interface ProjectTable {
  seq: Seq;
  id: string;
  name: string;
  mode: ProjectMode;
  stopped_at: Instant | null;
  rate_limit_per_minute: number | null;
  policy_second_person: 0 | 1;
  revision: number;
  created_at: Instant;
}

interface UserTable {
  seq: Seq;
  id: string;
  email: string;
  /** The address in lower case: unique, and what look-ups compare. */
  email_key: string;
  name: string | null;
  created_at: Instant;
}

interface MemberTable {
  project_id: string;
  user_id: string;
  role: Role;
  created_at: Instant;
  /** JSON list of user ids. */
  brought_in_by: Json;
}

interface MemberGroupTable {
  project_id: string;
  name: string;
  created_at: Instant;
}

interface GroupMemberTable {
  project_id: string;
  group_name: string;
  user_id: string;
}

interface PolicyVersionTable {
  project_id: string;
  version: number;
  hash: string;
  document: Json;
  created_at: Instant;
  created_by: string;
}

interface AgentTable {
  seq: Seq;
  id: string;
  project_id: string;
  name: string;
  fingerprint: string | null;
  framework: string | null;
  labels: Json;
  risk_tier: RiskTier;
  status: AgentStatus;
  created_at: Instant;
  last_seen_at: Instant | null;
  owner_id: string | null;
  behind: Json;
  owner_left_at: Instant | null;
  owner_left_warned: 0 | 1;
}

interface ApiKeyTable {
  seq: Seq;
  id: string;
  kind: KeyKind;
  project_id: string | null;
  name: string;
  hash: string;
  hint: string;
  agent_id: string | null;
  owner_id: string | null;
  rights: Json;
  rate_limit_per_minute: number | null;
  created_at: Instant;
  expires_at: Instant | null;
  revoked_at: Instant | null;
  last_used_at: Instant | null;
}

interface SessionTable {
  seq: Seq;
  id: string;
  token_hash: string;
  user_id: string;
  methods: Json;
  signed_in_at: Instant;
  confirmed_at: Instant;
  last_seen_at: Instant;
  expires_at: Instant;
  address: string | null;
  user_agent: string | null;
  ended_at: Instant | null;
}

interface IntentTable {
  seq: Seq;
  id: string;
  /** `seq` of the project and of the agent, for the indexes. */
  project_key: number;
  agent_key: number | null;
  project_id: string;
  status: IntentStatus;
  revision: number;
  action: string;
  params_hash: string;
  intent_hash: string;
  source: string | null;
  source_type: SourceType;
  risk_tier: RiskTier;
  proof_tier: ProofTier;
  requester_type: Requester['type'];
  requester_id: string;
  requester_display: string;
  requester_owner_id: string | null;
  agent_id: string | null;
  requested_risk_tier: RiskTier;
  requested_proof_tier: ProofTier;
  min_approvals: number | null;
  decision: IntentDecision;
  rule: string | null;
  policy_hash: string;
  permit_ttl_seconds: number;
  created_at: Instant;
  expires_at: Instant;
  approvals_received: number;
  approvals_required: number;
  resolved_at: Instant | null;
  resolved_by: string | null;
  reason: string | null;
  approved_by: string | null;
  approved_at: Instant | null;
  /** The latest permit issued for it. */
  permit_id: string | null;
  receipt_index: number | null;
  consumed_at: Instant | null;
  consumed_by: string | null;
  revoked_at: Instant | null;
  outcome: Outcome | null;
  outcome_at: Instant | null;
  approvers: Json;
  requirement: Json;
  approvals: Json;
  metadata: Json;
  params: Json;
  erased_at: Instant | null;
  asked_again_from: string | null;
  asked_by: string | null;
  extension: Json | null;
  /** 1: somebody rated it. */
  risk_rated: number;
  /** The person who denied it; null also where policy did, or the requester withdrew it. */
  denied_by: string | null;
}

interface IssuedTable {
  receipt_index: number;
  permit_id: string;
  token: string;
  issued_at: Instant;
  expires_at: Instant;
  receipt: Json;
}

interface SupersededPermitTable {
  seq: Seq;
  id: string;
  intent_key: number;
  token: string;
  issued_at: Instant;
  expires_at: Instant;
}

/** What is left of a receipt whose text was erased. */
interface ErasedReceiptTable {
  receipt_index: number;
  kid: string;
  jws_hash: string;
}

/** How long a project keeps texts, and how far it has come: the `seq` of an intent, the place of an event. */
interface RetentionTable {
  project_id: string;
  days: number | null;
  swept_intent: number;
  swept_event: number;
}

interface RetentionWaitingTable {
  intent_id: string;
  project_id: string;
  due_at: Instant;
}

interface UnfinishedErasureTable {
  project_id: string;
  subject: ErasureSubject['subject'];
  /** '' where the subject has none. */
  subject_id: string;
  since: Instant;
  mark: string;
}

interface ApprovalTable {
  seq: Seq;
  intent_id: string;
  user_id: string;
  approver: string;
  decision: 'approve' | 'deny';
  at: Instant;
  method: ApprovalMethod;
  credential_id: string;
  /** What the approver's device signed, where one did. */
  evidence: Json | null;
}

interface PasskeyTable {
  seq: Seq;
  id: string;
  user_id: string;
  credential_id: string;
  public_key: string;
  jwk: Json;
  sign_count: number;
  transports: Json;
  backed_up: number;
  name: string;
  created_at: Instant;
  last_used_at: Instant | null;
}

interface PasskeyChallengeTable {
  ticket_hash: string;
  purpose: PasskeyChallenge['purpose'];
  user_id: string | null;
  challenge: string;
  expires_at: Instant;
}

interface DeviceKeyTable {
  seq: Seq;
  id: string;
  user_id: string;
  key_id: string;
  jwk: Json;
  name: string;
  created_at: Instant;
  last_used_at: Instant | null;
}

interface PairingTable {
  id: string;
  device_code_hash: string;
  user_code: string;
  purpose: Pairing['purpose'];
  name: string;
  rights: Json;
  lifetime_seconds: number | null;
  jwk: Json | null;
  address: string | null;
  status: Pairing['status'];
  interval_seconds: number;
  polled_at: Instant | null;
  user_id: string | null;
  device_key_id: string | null;
  created_at: Instant;
  expires_at: Instant;
}

interface ProofSessionTable {
  id: string;
  user_id: string;
  credential_id: string | null;
  approver: string;
  intent_id: string;
  decision: ProofSession['decision'];
  method: ProofSession['method'];
  nonce: string;
  exp: number;
  tries: number;
  status: ProofSession['status'];
  evidence: Json | null;
  expires_at: Instant;
}

interface EventTable {
  position: Generated<number>;
  project_id: string;
  /** `seq` of the project, for the indexes. */
  project_key: number;
  /** Order of commit in the project. */
  seq: number;
  /** `seq` of the intent. */
  intent_key: number | null;
  id: string;
  type: EventType;
  occurred_at: Instant;
  actor_type: Actor['type'];
  actor_id: string;
  /** Null once erased. */
  actor_display: string | null;
  intent_id: string | null;
  data: Json;
  commitments: Json;
  event_hash: string;
}

interface SealTable {
  position: Generated<number>;
  project_id: string;
  first_seq: number;
  last_seq: number;
  prev_hash: string;
  /** 64 hexadecimal digits for each record. */
  hashes: string;
}

interface ChainHeadTable {
  project_id: string;
  seq: number;
  hash: string;
  sealed_at: Instant;
  jws: string;
}

interface IdempotencyRecordTable {
  seq: Seq;
  scope: string;
  key: string;
  body_hash: string;
  status: number;
  body: Json;
  expires_at: Instant;
}

interface ShadowPolicyTable {
  project_id: string;
  hash: string;
  document: Json;
  since: Instant;
  created_by: string;
  evaluated: number;
  diverged: number;
}

interface ShadowDivergenceTable {
  seq: Seq;
  project_id: string;
  intent_id: string;
  at: Instant;
  /** What both said and how it differs, as `groupKey` writes it. */
  difference: string;
}

interface ShadowCountTable {
  project_id: string;
  kind: ShadowCount['kind'];
  name: string;
  count: number;
}

interface PasswordTable {
  user_id: string;
  hash: string;
  changed_at: Instant;
}

interface TotpTable {
  user_id: string;
  /** Encrypted. */
  secret: string;
  last_step: number;
  created_at: Instant;
  confirmed_at: Instant | null;
}

interface RecoveryCodeTable {
  user_id: string;
  hash: string;
}

interface SignInTicketTable {
  token_hash: string;
  user_id: string;
  tries_left: number;
  expires_at: Instant;
}

interface OneTimeLinkTable {
  token_hash: string;
  kind: 'set_up' | 'password_reset';
  user_id: string;
  created_at: Instant;
  expires_at: Instant;
}

interface InvitationTable {
  seq: Seq;
  id: string;
  project_id: string;
  email: string;
  role: Role;
  token_hash: string;
  invited_by: string | null;
  invited_by_display: string;
  brought_in_by: Json;
  created_at: Instant;
  expires_at: Instant;
  accepted_at: Instant | null;
  accepted_by: string | null;
  revoked_at: Instant | null;
}

interface IdentityTable {
  seq: Seq;
  id: string;
  user_id: string;
  provider: string;
  issuer: string;
  subject: string;
  display: string;
  created_at: Instant;
  last_used_at: Instant;
}

interface PolicyProposalTable {
  seq: Seq;
  id: string;
  project_id: string;
  change: ProposedChange;
  hash: string | null;
  document: Json | null;
  based_on_version: number;
  based_on_hash: string;
  comment: string | null;
  proposer_id: string;
  proposer: string;
  created_at: Instant;
  status: ProposalStatus;
  resolver_id: string | null;
  resolver: string | null;
  resolved_at: Instant | null;
  reason: string | null;
  version: number | null;
}

/** Numbers handed out once each. */
interface CounterTable {
  name: string;
  next: number;
}

/** Which gate works on what. */
interface LeaseTable {
  queue: string;
  name: string;
  leased_by: string;
  leased_until: Instant;
}

/** A gate that serves the database, until it stops in order. */
interface HeartbeatTable {
  gate_id: string;
  base_url: string;
  version: string;
  started_at: Instant;
  seen_at: Instant;
}

/** How often somebody tried to sign in. */
interface SignInCountTable {
  name: string;
  count: number;
  until: Instant;
  kept_until: Instant;
}

/** How far a reader of the log has come: the place of an event in its project's chain. */
interface LogReaderTable {
  reader: string;
  project_id: string;
  seq: number;
}

/** The outbox. */
interface NotificationTable {
  seq: Seq;
  cause_id: string;
  kind: NotificationKind;
  channel: Channel;
  /** A person's, a push subscription's or a project's id. */
  target: string;
  user_id: string | null;
  project_id: string | null;
  intent_id: string | null;
  detail: Json;
  state: 'waiting' | DoneState;
  created_at: Instant;
  due_at: Instant;
  attempts: number;
  last_error: string | null;
  done_at: Instant | null;
}

interface UnlistedNotificationTable {
  channel: string;
  target: string;
  count: number;
}

interface ReminderTable {
  intent_id: string;
  project_id: string;
  due_at: Instant;
}

interface NotificationPreferencesTable {
  user_id: string;
  document: Json;
  updated_at: Instant;
}

interface PushSubscriptionTable {
  seq: Seq;
  id: string;
  user_id: string;
  endpoint_hash: string;
  /** Endpoint and keys. */
  sealed: string;
  host: string;
  label: string;
  created_at: Instant;
  last_sent_at: Instant | null;
}

/** One row. */
interface PushIdentityTable {
  one: number;
  public_key: string;
  /** Sealed. */
  private_key: string;
  created_at: Instant;
}

interface ChatHookTable {
  project_id: string;
  /** The address. */
  sealed: string;
  host: string;
  hint: string;
  kinds: Json;
  minimum_risk_tier: RiskTier;
  updated_at: Instant;
  last_sent_at: Instant | null;
  last_error: string | null;
}

interface SigningKeyTable {
  kid: string;
  document: string;
  seal: string;
}

/** One row. */
interface SigningKeyRevisionTable {
  one: number;
  revision: number;
}

interface InstallationTable {
  name: string;
  value: string;
}

interface WebhookTable {
  seq: Seq;
  id: string;
  project_id: string;
  sealed_url: string;
  host: string;
  description: string | null;
  event_types: Json | null;
  /** Sealed, with their ends. */
  secrets: Json;
  after_seq: number;
  created_at: Instant;
  updated_at: Instant;
  disabled_at: Instant | null;
  disabled_reason: DisabledReason | null;
  deleted_at: Instant | null;
  failures: number;
  failing_since: Instant | null;
  open_until: Instant | null;
  last_delivered_at: Instant | null;
}

interface WebhookDeliveryTable {
  seq: Seq;
  id: string;
  project_id: string;
  webhook_id: string;
  kind: DeliveryKind;
  replay_id: string | null;
  event_id: string | null;
  event_seq: number | null;
  event_type: NewDelivery['eventType'];
  intent_id: string | null;
  state: DeliveryState;
  created_at: Instant;
  /** Null: done, or behind an earlier one of its intent. While it is leased: the end of the lease. */
  due_at: Instant | null;
  leased_by: string | null;
  /** Another one of its intent was put behind it. */
  followed: 0 | 1;
  attempt_count: number;
  attempts: Json;
  last_status: number | null;
  last_error: string | null;
  done_at: Instant | null;
}

interface UpstreamTable {
  seq: Seq;
  id: string;
  project_id: string;
  name: string;
  kind: UpstreamKind;
  target: string;
  secret_names: Json;
  sealed_settings: string;
  risk_tier: RiskTier;
  timeout_seconds: number;
  version: number;
  created_at: Instant;
  updated_at: Instant;
  deleted_at: Instant | null;
  /** What it says of itself. */
  server: Json | null;
  looked_at: Instant | null;
  failing_since: Instant | null;
  error: string | null;
}

interface UpstreamToolTable {
  seq: Seq;
  project_id: string;
  upstream_id: string;
  name: string;
  state: UpstreamToolState;
  obstacle: string | null;
  found: Json | null;
  found_hash: string | null;
  pinned: Json | null;
  pinned_hash: string | null;
  risk_tier: RiskTier | null;
  found_at: Instant;
  changed_at: Instant;
  approved_at: Instant | null;
}

interface ConnectorRequestTable {
  seq: Seq;
  id: string;
  project_id: string;
  intent_id: string;
  credential_id: string;
  tool_name: string;
  tool_hash: string;
  arguments_hash: string;
  result_form: ConnectorRequest['resultForm'];
  state: ConnectorRequest['state'];
  ran_by: string | null;
  leased_by: string | null;
  leased_until: Instant | null;
  result: Json | null;
  message: string | null;
  created_at: Instant;
  settled_at: Instant | null;
  erased_at: Instant | null;
}

interface MockRecordTable {
  seq: Seq;
  /** The intent's. */
  id: string;
  project_id: string;
  connector: string;
  tool: string;
  arguments: Json;
  at: Instant;
}

export interface Database {
  connector_requests: ConnectorRequestTable;
  mock_records: MockRecordTable;
  upstreams: UpstreamTable;
  upstream_tools: UpstreamToolTable;
  webhooks: WebhookTable;
  webhook_deliveries: WebhookDeliveryTable;
  signing_keys: SigningKeyTable;
  signing_key_revision: SigningKeyRevisionTable;
  installation: InstallationTable;
  log_readers: LogReaderTable;
  notifications: NotificationTable;
  unlisted_notifications: UnlistedNotificationTable;
  reminders: ReminderTable;
  notification_preferences: NotificationPreferencesTable;
  push_subscriptions: PushSubscriptionTable;
  push_identity: PushIdentityTable;
  chat_hooks: ChatHookTable;
  counters: CounterTable;
  leases: LeaseTable;
  heartbeats: HeartbeatTable;
  sign_in_counts: SignInCountTable;
  projects: ProjectTable;
  users: UserTable;
  members: MemberTable;
  member_groups: MemberGroupTable;
  group_members: GroupMemberTable;
  policy_versions: PolicyVersionTable;
  agents: AgentTable;
  api_keys: ApiKeyTable;
  sessions: SessionTable;
  intents: IntentTable;
  issued: IssuedTable;
  superseded_permits: SupersededPermitTable;
  erased_receipts: ErasedReceiptTable;
  retention: RetentionTable;
  retention_waiting: RetentionWaitingTable;
  unfinished_erasures: UnfinishedErasureTable;
  approvals: ApprovalTable;
  passkeys: PasskeyTable;
  passkey_challenges: PasskeyChallengeTable;
  device_keys: DeviceKeyTable;
  pairings: PairingTable;
  proof_sessions: ProofSessionTable;
  events: EventTable;
  seals: SealTable;
  chain_heads: ChainHeadTable;
  idempotency_records: IdempotencyRecordTable;
  policy_proposals: PolicyProposalTable;
  shadow_policies: ShadowPolicyTable;
  shadow_divergences: ShadowDivergenceTable;
  shadow_counts: ShadowCountTable;
  passwords: PasswordTable;
  totp: TotpTable;
  recovery_codes: RecoveryCodeTable;
  sign_in_tickets: SignInTicketTable;
  one_time_links: OneTimeLinkTable;
  invitations: InvitationTable;
  identities: IdentityTable;
}

/** A row as it is read. */
export type Row<T extends keyof Database> = Selectable<Database[T]>;

/** A row as it is written: without the number that the database gives. */
export type NewRow<T extends keyof Database> = Omit<
  Row<T>,
  T extends 'events' | 'seals' ? 'position' : 'seq'
>;
