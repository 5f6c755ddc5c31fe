/**
 * Defines each table once: its columns in order, and its constraints. Instants are ISO text, JSON is text, flags are 0
 * or 1. `npm run schema` writes the first migration from them. One file however long: each table refers to those before
 * it, and people look one up by its name.
 */
import type {
  ApprovalMethod,
  EventType,
  IntentDecision,
  JsonObject,
  Outcome,
  ProofTier,
  RiskTier,
  Role,
  SourceType,
} from '@permitry/protocol';
import type { Actor } from '../../gate/access/caller.ts';
import type { ApiKey, KeyKind } from '../../gate/access/credential.ts';
import type { Session } from '../../gate/access/session.ts';
import type { Agent } from '../../gate/agents/agent.ts';
import type { Approval } from '../../gate/approvals/approval.ts';
import type { AuditEvent } from '../../gate/audit/audit-event.ts';
import type { ErasureSubject } from '../../gate/erasure/unfinished-erasure.ts';
import type { Intent, Requester } from '../../gate/intents/intent.ts';
import type { IdempotencyRecord } from '../../gate/kernel/idempotency.ts';
import type { ChatHook } from '../../gate/notifications/notification.ts';
import type { SavedPreferences } from '../../gate/notifications/preferences.ts';
import type { Channel, DeliveryAttempt, NewDelivery } from '../../gate/outbox/delivery.ts';
import type { ShadowPolicy } from '../../gate/policy-management/shadow/shadow-policy.ts';
import type { PolicyVersion } from '../../gate/projects/project.ts';
import type { ProofEvidence } from '../../gate/proof/proof-session.ts';
import type { ConnectorRequest } from '../../gate/tools/connector-request.ts';
import type { ToolDefinition, Upstream } from '../../gate/upstreams/upstream.ts';
import type { Webhook } from '../../gate/webhooks/webhook.ts';
import type { DeviceKey } from '../../people/device-keys/device-key.ts';
import type { Invitation } from '../../people/invitations/invitation.ts';
import type { Pairing } from '../../people/pairings/pairing.ts';
import type { Passkey } from '../../people/passkeys/passkey.ts';

import {
  flag,
  instant,
  integer,
  json,
  jws,
  millionths,
  oneOf,
  onlyRow,
  rowKey,
  text,
  textInKey,
  touched,
} from './column.ts';
import { type Columns, type KyselyTable, type RowOf, Table, type TableFacts } from './table.ts';

function table<N extends string, C extends Columns>(
  name: N,
  columns: C,
  facts: TableFacts = {},
): Table<N, C> {
  return new Table(name, columns, facts);
}

/**
 * Autovacuum for tables that only grow. The first vacuum that reads a row freezes it. So the vacuum against wraparound
 * finds little to do, however large the table is. Statistics are renewed when the table has grown by a hundredth
 * instead of a tenth. Each renewal reads a sample of the same size.
 */
const GROWING = {
  autovacuum_freeze_min_age: 0,
  autovacuum_analyze_scale_factor: 0.01,
  autovacuum_analyze_threshold: 1000,
};

/**
 * Rows are hardly ever changed or deleted, so a vacuum reads the new pages and no index. It runs after this many rows
 * instead of a fifth of the table.
 */
const WRITTEN_ONCE = {
  ...GROWING,
  autovacuum_vacuum_insert_scale_factor: 0,
  autovacuum_vacuum_insert_threshold: 100_000,
};

/**
 * Every event is written again when it is sealed. That leaves a dead entry in the index of unsealed events, which is
 * walked several times a second. So the index is cleaned while it is short, whatever the size of the table.
 */
const EVENTS_ON_POSTGRES = {
  ...GROWING,
  autovacuum_vacuum_scale_factor: 0.02,
  autovacuum_vacuum_threshold: 10_000,
  vacuum_index_cleanup: 'on',
};

export const projects = table('projects', {
  seq: rowKey(),
  id: text().unique(),
  name: text(),
  mode: oneOf('test', 'live'),
  stopped_at: instant().orNull(),
  rate_limit_per_minute: integer().orNull(),
  policy_second_person: flag(),
  revision: integer(),
  created_at: instant(),
});

export const users = table('users', {
  seq: rowKey(),
  id: text().unique(),
  email: text(),
  /** The address in lower case. It is unique, and look-ups compare it. */
  email_key: text().unique().aside(),
  name: text().orNull(),
  created_at: instant(),
});

export const members = table(
  'members',
  {
    project_id: text().references('projects'),
    user_id: text().references('users'),
    role: text<Role>(),
    created_at: instant(),
    /** JSON list of user ids. */
    brought_in_by: json<readonly string[]>(),
  },
  {
    primaryKey: ['project_id', 'user_id'],
    indexes: {
      members_by_user: { on: ['user_id'] },
    },
  },
);

export const memberGroups = table(
  'member_groups',
  {
    project_id: text().references('projects'),
    name: text(),
    created_at: instant(),
  },
  { primaryKey: ['project_id', 'name'] },
);

export const groupMembers = table(
  'group_members',
  {
    project_id: text(),
    group_name: text(),
    user_id: text(),
  },
  {
    primaryKey: ['project_id', 'group_name', 'user_id'],
    foreignKeys: [
      '(project_id, group_name) references member_groups (project_id, name)',
      '(project_id, user_id) references members (project_id, user_id)',
    ],
    indexes: {
      group_members_by_user: { on: ['project_id', 'user_id'] },
    },
  },
);

export const policyVersions = table(
  'policy_versions',
  {
    project_id: text().references('projects'),
    version: integer(),
    hash: text(),
    document: json<PolicyVersion['document']>(),
    created_at: instant(),
    created_by: text(),
  },
  { primaryKey: ['project_id', 'version'], longRows: true },
);

export const agents = table(
  'agents',
  {
    seq: rowKey(),
    id: text().unique(),
    project_id: text().references('projects'),
    name: text().caseless(),
    fingerprint: text().orNull(),
    framework: text().orNull(),
    labels: json<Agent['labels']>(),
    risk_tier: text<RiskTier>(),
    status: oneOf('active', 'paused', 'revoked'),
    created_at: instant(),
    last_seen_at: touched(),
    owner_id: text().orNull().references('users'),
    behind: json<Agent['behind']>(),
    owner_left_at: instant().orNull(),
    owner_left_warned: flag().set(0),
  },
  {
    unique: [['project_id', 'name']],
    indexes: {
      agents_by_owner: { on: ['project_id', 'owner_id'], where: 'owner_id is not null' },
      agents_by_project: { on: ['project_id', 'seq'] },
      agents_by_status: { on: ['status'] },
      agents_to_warn_of: { on: ['owner_left_warned', 'owner_left_at'], where: 'owner_left_at is not null' },
    },
  },
);

export const apiKeys = table(
  'api_keys',
  {
    seq: rowKey(),
    id: text().unique(),
    kind: text<KeyKind>(),
    project_id: text().orNull().references('projects'),
    name: text(),
    hash: text().unique(),
    hint: text(),
    agent_id: text().orNull().references('agents'),
    owner_id: text().orNull().references('users'),
    rights: json<ApiKey['rights']>(),
    rate_limit_per_minute: integer().orNull(),
    created_at: instant(),
    expires_at: instant().orNull(),
    revoked_at: instant().orNull(),
    last_used_at: touched(),
  },
  {
    indexes: {
      api_keys_by_agent: { on: ['agent_id'], where: 'agent_id is not null' },
      api_keys_by_person: { on: ['owner_id', 'seq'], where: 'project_id is null' },
      api_keys_by_project: { on: ['project_id', 'seq'] },
    },
  },
);

export const sessions = table(
  'sessions',
  {
    seq: rowKey(),
    id: text().unique(),
    token_hash: text().unique(),
    user_id: text().references('users'),
    methods: json<Session['methods']>(),
    signed_in_at: instant(),
    confirmed_at: instant(),
    last_seen_at: instant(),
    expires_at: instant(),
    address: text().orNull(),
    user_agent: text().orNull(),
    ended_at: instant().orNull(),
  },
  {
    indexes: {
      sessions_by_expiry: { on: ['expires_at'] },
      sessions_by_user: { on: ['user_id', 'seq'] },
    },
  },
);

/**
 * The first 48 bits of `params_hash`. Hashes come in no order, so each index entry changes a different page, and
 * shorter entries split fewer pages. The query compares the whole hash.
 */
export const SHORT_HASH = 'substr(params_hash, 8, 12)';

export const intents = table(
  'intents',
  {
    seq: rowKey(),
    id: text().unique(),
    /** `seq` of the project and of the agent, for the indexes. */
    project_key: integer().derived(),
    agent_key: integer().orNull().derived(),
    project_id: text(),
    status: oneOf('pending', 'approved', 'denied', 'expired'),
    revision: integer(),
    action: text(),
    params_hash: text(),
    intent_hash: text(),
    source: text().orNull(),
    source_type: text<SourceType>(),
    risk_tier: text<RiskTier>(),
    proof_tier: text<ProofTier>(),
    requester_type: text<Requester['type']>().aside(),
    requester_id: text().aside(),
    requester_display: text().aside(),
    requester_owner_id: text().orNull().aside(),
    agent_id: text().orNull(),
    requested_risk_tier: text<RiskTier>(),
    requested_proof_tier: text<ProofTier>(),
    min_approvals: integer().orNull(),
    decision: text<IntentDecision>(),
    rule: text().orNull(),
    policy_hash: text(),
    permit_ttl_seconds: integer(),
    created_at: instant(),
    expires_at: instant(),
    approvals_received: integer(),
    approvals_required: integer(),
    resolved_at: instant().orNull(),
    resolved_by: text().orNull(),
    reason: text().orNull(),
    approved_by: text().orNull(),
    approved_at: instant().orNull(),
    /** The latest permit issued for the intent. */
    permit_id: text().orNull().aside(),
    receipt_index: integer().orNull(),
    consumed_at: instant().orNull(),
    consumed_by: text().orNull(),
    revoked_at: instant().orNull(),
    outcome: text<Outcome>().orNull(),
    outcome_at: instant().orNull(),
    erased_at: instant().orNull(),
    asked_again_from: text().orNull(),
    asked_by: text().orNull(),
    extension_request: json<NonNullable<Intent['extensionRequest']>>().orNull(),
    risk_rated: flag(),
    /** The person who denied it. Null also when the policy denied it or the requester withdrew it. */
    denied_by: text().orNull().derived(),
    approvers: json<Intent['approvers']>(),
    requirement: json<Intent['requirement']>(),
    approvals: json<Intent['approvals']>(),
    metadata: json<Intent['metadata']>(),
    params: json<Intent['params']>(),
  },
  {
    checks: ["(status = 'approved') = (permit_id is not null and receipt_index is not null)"],
    indexes: {
      intents_by_action: {
        on: ['project_key', 'action', 'seq'],
        where: "status = 'approved' and decision = 'require_approval'",
      },
      intents_by_agent: { on: ['agent_key', 'status', 'seq'], where: 'agent_key is not null' },
      intents_by_approval: {
        on: ['project_key', SHORT_HASH, 'action', 'approved_at'],
        where: "status = 'approved' and decision = 'require_approval'",
      },
      intents_by_denial: {
        on: ['project_key', SHORT_HASH, 'action', 'resolved_at'],
        where: 'denied_by is not null',
      },
      intents_by_expiry: { on: ['expires_at'], where: "status = 'pending'" },
      intents_by_first_asked: {
        on: ['asked_again_from'],
        unique: true,
        where: 'asked_again_from is not null',
      },
      intents_by_project: { on: ['project_key', 'status', 'seq'] },
      intents_by_receipt: { on: ['receipt_index', 'agent_key'], where: 'receipt_index is not null' },
      intents_by_urgency: {
        on: ['project_key', 'risk_tier', 'expires_at', 'seq'],
        where: "status = 'pending'",
      },
      intents_revoked: { on: ['receipt_index'], where: 'revoked_at is not null' },
    },
    postgres: GROWING,
  },
);

export const issued = table(
  'issued',
  {
    receipt_index: integer().primary(),
    permit_id: text(),
    token: jws(),
    issued_at: instant(),
    expires_at: instant(),
    /** The signed text contains everything. Null once its texts were erased. */
    receipt: jws().orNull(),
  },
  { postgres: WRITTEN_ONCE },
);

export const supersededPermits = table(
  'superseded_permits',
  {
    seq: rowKey(),
    id: text().unique(),
    intent_key: integer(),
    token: jws(),
    issued_at: instant(),
    expires_at: instant(),
  },
  { postgres: WRITTEN_ONCE },
);

/** The rest of a receipt whose text was erased. */
export const erasedReceipts = table(
  'erased_receipts',
  {
    receipt_index: integer().primary(),
    kid: text(),
    jws_hash: text(),
  },
  { postgres: WRITTEN_ONCE },
);

/** How long a project keeps texts, and how far its sweep has come. */
export const retention = table('retention', {
  project_id: text().primary().references('projects'),
  days: integer().orNull(),
  swept_intent_seq: integer(),
  swept_event_seq: integer(),
});

export const retentionWaiting = table(
  'retention_waiting',
  {
    intent_id: text().primary(),
    project_id: text().references('projects'),
    due_at: instant(),
  },
  {
    indexes: {
      retention_waiting_by_due: { on: ['project_id', 'due_at'] },
    },
  },
);

export const unfinishedErasures = table(
  'unfinished_erasures',
  {
    project_id: text().references('projects'),
    subject: text<ErasureSubject['subject']>(),
    subject_id: textInKey(),
    since: instant(),
    mark: text(),
  },
  { primaryKey: ['project_id', 'subject', 'subject_id'] },
);

export const approvals = table(
  'approvals',
  {
    seq: rowKey(),
    intent_id: text().references('intents'),
    user_id: text(),
    /** Email address, or the id once that is erased. */
    by: text(),
    decision: oneOf('approve', 'deny'),
    at: instant(),
    method: text<ApprovalMethod>(),
    credential_id: text(),
    /** What the approver's device signed, if one did. */
    evidence: json<NonNullable<Approval['evidence']>>().orNull(),
  },
  { unique: [['intent_id', 'user_id']], postgres: WRITTEN_ONCE },
);

export const passkeys = table(
  'passkeys',
  {
    seq: rowKey(),
    id: text().unique(),
    user_id: text().references('users'),
    credential_id: text().unique(),
    public_key: text(),
    jwk: json<Passkey['jwk']>(),
    sign_count: integer(),
    transports: json<Passkey['transports']>(),
    backed_up: flag(),
    name: text(),
    created_at: instant(),
    last_used_at: instant().orNull(),
  },
  {
    indexes: {
      passkeys_by_user: { on: ['user_id', 'seq'] },
    },
  },
);

export const passkeyChallenges = table(
  'passkey_challenges',
  {
    ticket_hash: text().primary(),
    purpose: oneOf('register', 'sign_in', 'confirm'),
    user_id: text().orNull(),
    challenge: text(),
    expires_at: instant(),
  },
  {
    indexes: {
      passkey_challenges_by_expiry: { on: ['expires_at'] },
    },
  },
);

export const deviceKeys = table(
  'device_keys',
  {
    seq: rowKey(),
    id: text().unique(),
    user_id: text().references('users'),
    key_id: text().unique(),
    jwk: json<DeviceKey['jwk']>(),
    name: text(),
    created_at: instant(),
    last_used_at: instant().orNull(),
  },
  {
    indexes: {
      device_keys_by_user: { on: ['user_id', 'seq'] },
    },
  },
);

export const pairings = table(
  'pairings',
  {
    id: text().primary(),
    device_code_hash: text().unique(),
    user_code: text().unique(),
    purpose: oneOf('token', 'device_key'),
    name: text(),
    rights: json<Pairing['rights']>(),
    lifetime_seconds: integer().orNull(),
    jwk: json<NonNullable<Pairing['jwk']>>().orNull(),
    address: text().orNull(),
    status: oneOf('pending', 'approved', 'denied', 'taken'),
    interval_seconds: integer(),
    polled_at: instant().orNull(),
    user_id: text().orNull(),
    device_key_id: text().orNull(),
    created_at: instant(),
    expires_at: instant(),
  },
  {
    indexes: {
      pairings_by_expiry: { on: ['expires_at'] },
    },
  },
);

/** One row for each entry of a mandate. Its amounts have four places; a place without a limit counts nothing. */
export const mandateEntries = table(
  'mandate_entries',
  {
    mandate_id: text(),
    entry: integer(),
    uses_limit: integer(),
    uses_per_day: integer().orNull(),
    uses: integer().set(0),
    /** The newest day with a use, '' before the first. */
    day: text().set(''),
    day_uses: integer().set(0),
    total_limit_1: millionths().orNull(),
    day_limit_1: millionths().orNull(),
    total_1: millionths().set('0'),
    day_total_1: millionths().set('0'),
    total_limit_2: millionths().orNull(),
    day_limit_2: millionths().orNull(),
    total_2: millionths().set('0'),
    day_total_2: millionths().set('0'),
    total_limit_3: millionths().orNull(),
    day_limit_3: millionths().orNull(),
    total_3: millionths().set('0'),
    day_total_3: millionths().set('0'),
    total_limit_4: millionths().orNull(),
    day_limit_4: millionths().orNull(),
    total_4: millionths().set('0'),
    day_total_4: millionths().set('0'),
  },
  { primaryKey: ['mandate_id', 'entry'] },
);

export const proofSessions = table(
  'proof_sessions',
  {
    id: text().primary(),
    user_id: text().references('users'),
    credential_id: text().orNull(),
    approver: text(),
    intent_id: text(),
    decision: oneOf('approve', 'deny'),
    method: oneOf('device', 'passkey'),
    nonce: text(),
    exp: integer(),
    tries: integer(),
    status: oneOf('pending', 'completed', 'spent'),
    evidence: json<ProofEvidence>().orNull(),
    expires_at: instant(),
  },
  {
    indexes: {
      proof_sessions_by_expiry: { on: ['expires_at'] },
    },
  },
);

export const events = table(
  'events',
  {
    position: rowKey(),
    project_id: text(),
    /** The `seq` of the project, which the indexes use. */
    project_key: integer().derived(),
    /** Order of commit in the project. */
    seq: integer().lateOnPostgres().derived(),
    /** `seq` of the intent. */
    intent_key: integer().orNull().derived(),
    id: text(),
    type: text<EventType>(),
    occurred_at: instant(),
    actor_type: text<Actor['type']>().aside(),
    actor_id: text().aside(),
    /** Null once erased. */
    actor_display: text().orNull().aside(),
    intent_id: text().orNull(),
    data: json<AuditEvent['data']>(),
    commitments: json<AuditEvent['commitments']>(),
    event_hash: text(),
  },
  {
    // Reads the events of one project newest first, whether sealed or not.
    primaryKey: { postgres: ['project_key', 'position'] },
    indexes: {
      events_by_intent: {
        on: ['intent_key', 'seq'],
        where: { sqlite: 'intent_key is not null', postgres: 'intent_key is not null and seq is not null' },
      },
      events_by_project: {
        on: ['project_key', 'seq'],
        unique: true,
        where: { postgres: 'seq is not null' },
      },
      events_not_sealed: { on: ['project_key', 'position'], where: 'seq is null', only: 'postgres' },
    },
    postgres: EVENTS_ON_POSTGRES,
  },
);

export const seals = table(
  'seals',
  {
    position: rowKey(),
    project_id: text().references('projects'),
    first_seq: integer(),
    last_seq: integer(),
    prev_hash: text(),
    /** 64 hexadecimal digits for each record. */
    hashes: text(),
  },
  {
    indexes: {
      seals_by_project: { on: ['project_id', 'last_seq'], unique: true },
    },
    postgres: WRITTEN_ONCE,
  },
);

export const chainHeads = table(
  'chain_heads',
  {
    project_id: text().primary().references('projects'),
    seq: integer(),
    hash: text(),
    sealed_at: instant(),
    jws: text(),
  },
  { indexes: { chain_heads_by_time: { on: ['sealed_at'], only: 'postgres' } } },
);

export const idempotencyRecords = table(
  'idempotency_records',
  {
    seq: rowKey(),
    scope: text(),
    key: text(),
    body_hash: text(),
    status: integer(),
    body: json<IdempotencyRecord['body']>(),
    expires_at: instant(),
  },
  {
    unique: [['scope', 'key']],
    indexes: {
      idempotency_records_by_expiry: { on: ['expires_at'] },
    },
  },
);

export const shadowPolicies = table(
  'shadow_policies',
  {
    project_id: text().primary().references('projects'),
    hash: text(),
    document: json<ShadowPolicy['document']>(),
    since: instant(),
    created_by: text(),
    evaluated: integer(),
    diverged: integer(),
  },
  { longRows: true },
);

export const shadowDivergences = table(
  'shadow_divergences',
  {
    seq: rowKey(),
    project_id: text().references('shadow_policies.project_id'),
    intent_id: text(),
    at: instant(),
    /** Both results and their difference, as `groupKey` writes them. */
    difference: text(),
  },
  {
    indexes: {
      shadow_divergences_by_project: { on: ['project_id', 'seq'] },
    },
  },
);

export const shadowCounts = table(
  'shadow_counts',
  {
    project_id: text().references('shadow_policies.project_id'),
    kind: oneOf('divergence', 'failure'),
    name: text(),
    count: integer(),
  },
  { primaryKey: ['project_id', 'kind', 'name'] },
);

export const passwords = table('passwords', {
  user_id: text().primary().references('users'),
  hash: text(),
  changed_at: instant(),
});

export const totp = table('totp', {
  user_id: text().primary().references('users'),
  /** Encrypted. */
  secret: text(),
  last_step: integer(),
  created_at: instant(),
  confirmed_at: instant().orNull(),
});

export const recoveryCodes = table(
  'recovery_codes',
  {
    user_id: text().references('users'),
    hash: text(),
  },
  { primaryKey: ['user_id', 'hash'] },
);

export const signInTickets = table(
  'sign_in_tickets',
  {
    token_hash: text().primary(),
    user_id: text().references('users'),
    tries_left: integer(),
    expires_at: instant(),
  },
  {
    indexes: {
      sign_in_tickets_by_expiry: { on: ['expires_at'] },
      sign_in_tickets_by_user: { on: ['user_id'] },
    },
  },
);

export const oneTimeLinks = table(
  'one_time_links',
  {
    token_hash: text().primary(),
    kind: oneOf('set_up', 'password_reset'),
    user_id: text().references('users'),
    created_at: instant(),
    expires_at: instant(),
  },
  {
    indexes: {
      one_time_links_by_user: { on: ['user_id', 'kind'] },
    },
  },
);

export const invitations = table(
  'invitations',
  {
    seq: rowKey(),
    id: text().unique(),
    project_id: text().references('projects'),
    email: text(),
    role: text<Role>(),
    token_hash: text().unique(),
    invited_by: text().orNull(),
    invited_by_display: text(),
    brought_in_by: json<Invitation['broughtInBy']>(),
    created_at: instant(),
    expires_at: instant(),
    accepted_at: instant().orNull(),
    accepted_by: text().orNull(),
    revoked_at: instant().orNull(),
  },
  {
    indexes: {
      invitations_by_email: { on: ['email'] },
      invitations_by_project: { on: ['project_id', 'seq'] },
    },
  },
);

export const identities = table(
  'identities',
  {
    seq: rowKey(),
    id: text().unique(),
    user_id: text().references('users'),
    provider: text(),
    issuer: text(),
    subject: text(),
    display: text(),
    created_at: instant(),
    last_used_at: instant(),
  },
  {
    unique: [['issuer', 'subject']],
    indexes: {
      identities_by_user: { on: ['user_id', 'seq'] },
    },
  },
);

export const policyProposals = table(
  'policy_proposals',
  {
    seq: rowKey(),
    id: text().unique(),
    project_id: text().references('projects'),
    change: oneOf('policy', 'second_person_off', 'agent'),
    hash: text().orNull(),
    document: json<JsonObject>().orNull(),
    based_on_version: integer(),
    based_on_hash: text(),
    comment: text().orNull(),
    proposer_id: text().references('users'),
    proposer: text(),
    created_at: instant(),
    status: oneOf('pending', 'approved', 'rejected', 'withdrawn'),
    resolver_id: text().orNull().references('users'),
    resolver: text().orNull(),
    resolved_at: instant().orNull(),
    reason: text().orNull(),
    version: integer().orNull(),
  },
  {
    indexes: {
      pending_policy_proposals: { on: ['project_id', 'id'], where: "status = 'pending'" },
      policy_proposals_by_project: { on: ['project_id', 'id'] },
    },
  },
);

/** Counters that give out each number once. */
const counters = table('counters', {
  name: text().primary(),
  next: integer(),
});

/** Leases: each gives a piece of work to one gate at a time. */
export const leases = table(
  'leases',
  {
    queue: text(),
    name: text(),
    leased_by: text(),
    leased_until: instant(),
  },
  { primaryKey: ['queue', 'name'] },
);

/** A gate that serves the database, until it shuts down cleanly. */
export const heartbeats = table('heartbeats', {
  gate_id: text().primary(),
  base_url: text(),
  version: text(),
  started_at: instant(),
  seen_at: instant(),
});

/** Counts of sign-in attempts. */
export const signInCounts = table(
  'sign_in_counts',
  {
    name: text().primary().aside(),
    count: integer(),
    until: instant(),
    kept_until: instant(),
  },
  {
    indexes: {
      sign_in_counts_by_time: { on: ['kept_until'] },
    },
  },
);

/** How far a reader of the log has come: the place of an event in its project's chain. */
export const logReaders = table(
  'log_readers',
  {
    reader: text(),
    project_id: text().references('projects'),
    seq: integer(),
  },
  { primaryKey: ['reader', 'project_id'] },
);

/** The outbox. */
export const deliveries = table(
  'deliveries',
  {
    seq: rowKey(),
    id: text().unique(),
    channel: oneOf('mail', 'push', 'chat', 'webhook'),
    /** The id of a person, a push subscription, a project or a webhook. */
    target: text(),
    kind: text(),
    cause_id: text().orNull(),
    user_id: text().orNull(),
    project_id: text().orNull(),
    intent_id: text().orNull(),
    detail: json<NewDelivery['detail']>(),
    event_seq: integer().orNull(),
    event_type: text<NonNullable<NewDelivery['eventType']>>().orNull(),
    replay_id: text().orNull(),
    state: oneOf('waiting', 'delivered', 'dropped', 'failed'),
    created_at: instant(),
    /**
     * Null when the delivery is done, or waits behind an earlier one of its intent. During a lease: the end of the
     * lease.
     */
    due_at: instant().orNull(),
    leased_by: text().orNull().set(null),
    /** A later delivery of the same intent waits behind this one. */
    followed: flag().set(0),
    attempt_count: integer(),
    attempts: json<readonly DeliveryAttempt[]>(),
    last_status: integer().orNull(),
    last_error: text().orNull(),
    done_at: instant().orNull(),
  },
  {
    checks: ["(state = 'waiting') = (done_at is null)"],
    indexes: {
      deliveries_by_person: { on: ['user_id'], where: 'user_id is not null' },
      deliveries_by_replay: {
        on: ['project_id', 'target', 'replay_id', 'id'],
        where: 'replay_id is not null',
      },
      deliveries_done: { on: ['channel', 'done_at'], where: 'done_at is not null' },
      deliveries_due: { on: ['channel', 'target', 'due_at'], where: "state = 'waiting'" },
      deliveries_due_to_people: {
        on: ['channel', 'due_at'],
        where: "state = 'waiting' and channel <> 'webhook'",
      },
      deliveries_in_order: {
        on: ['target', 'intent_id', 'seq'],
        where: "state = 'waiting' and channel = 'webhook' and intent_id is not null",
      },
      deliveries_once: {
        on: ['cause_id', 'kind', 'channel', 'target'],
        unique: true,
        where: "kind <> 'replay'",
      },
      deliveries_sent: {
        on: ['channel', 'target', 'done_at'],
        where: "state = 'delivered' and channel <> 'webhook'",
      },
      deliveries_to_people: {
        on: ['intent_id'],
        where: "channel <> 'webhook' and intent_id is not null",
      },
      deliveries_to_webhook: { on: ['project_id', 'target', 'id'], where: "channel = 'webhook'" },
      deliveries_to_webhook_by_state: {
        on: ['project_id', 'target', 'state', 'id'],
        where: 'event_type is not null',
      },
      deliveries_waiting: { on: ['channel', 'created_at'], where: "state = 'waiting'" },
    },
  },
);

export const unlistedNotifications = table(
  'unlisted_notifications',
  {
    channel: text<Channel>(),
    target: text(),
    count: integer(),
  },
  { primaryKey: ['channel', 'target'] },
);

export const reminders = table(
  'reminders',
  {
    intent_id: text().primary(),
    project_id: text().references('projects'),
    due_at: instant(),
  },
  {
    indexes: {
      reminders_by_due: { on: ['due_at'] },
    },
  },
);

export const notificationPreferences = table('notification_preferences', {
  user_id: text().primary().references('users'),
  document: json<SavedPreferences>(),
  updated_at: instant(),
});

export const pushSubscriptions = table(
  'push_subscriptions',
  {
    seq: rowKey(),
    id: text().unique(),
    user_id: text().references('users'),
    endpoint_hash: text().unique(),
    /** Endpoint and keys. */
    sealed: text(),
    host: text(),
    label: text(),
    created_at: instant(),
    last_sent_at: instant().orNull(),
  },
  {
    indexes: {
      push_subscriptions_by_person: { on: ['user_id', 'seq'] },
    },
  },
);

/** One row. */
export const pushIdentity = table('push_identity', {
  one: onlyRow(),
  public_key: text(),
  /** Encrypted. */
  private_key: text(),
  created_at: instant(),
});

export const chatHooks = table('chat_hooks', {
  project_id: text().primary().references('projects'),
  /** The address. */
  sealed: text(),
  host: text(),
  hint: text(),
  kinds: json<ChatHook['kinds']>(),
  minimum_risk_tier: text<RiskTier>(),
  updated_at: instant(),
  last_sent_at: instant().orNull(),
  last_error: text().orNull(),
});

export const signingKeys = table('signing_keys', {
  kid: text().primary(),
  document: text(),
  seal: text(),
});

/** One row. */
const signingKeyRevision = table(
  'signing_key_revision',
  {
    one: onlyRow(),
    revision: integer(),
  },
  { firstRow: { one: 1, revision: 0 } },
);

export const installation = table('installation', {
  name: text().primary(),
  value: text(),
});

export const webhooks = table(
  'webhooks',
  {
    seq: rowKey(),
    id: text().unique(),
    project_id: text().references('projects'),
    sealed_url: text(),
    host: text(),
    description: text().orNull(),
    event_types: json<NonNullable<Webhook['eventTypes']>>().orNull(),
    /** The secrets are encrypted, with their expiries. */
    secrets: json<Webhook['secrets']>(),
    after_seq: integer(),
    created_at: instant(),
    updated_at: instant(),
    disabled_at: instant().orNull(),
    disabled_reason: oneOf('requested', 'gone', 'failing').orNull(),
    deleted_at: instant().orNull().set(null),
    failures: integer(),
    failing_since: instant().orNull(),
    open_until: instant().orNull(),
    last_delivered_at: instant().orNull(),
  },
  {
    checks: ['(disabled_at is null) = (disabled_reason is null)'],
    indexes: {
      webhooks_by_project: { on: ['project_id', 'id'], where: 'deleted_at is null' },
      webhooks_deleted: { on: ['deleted_at'], where: 'deleted_at is not null' },
    },
  },
);

export const upstreams = table(
  'upstreams',
  {
    seq: rowKey(),
    id: text().unique(),
    project_id: text().references('projects'),
    name: text(),
    kind: oneOf('http', 'stdio'),
    target: text(),
    secret_names: json<Upstream['secretNames']>(),
    sealed_settings: text(),
    risk_tier: oneOf('low', 'medium', 'high', 'critical'),
    timeout_seconds: integer(),
    version: integer(),
    created_at: instant(),
    updated_at: instant(),
    deleted_at: instant().orNull().set(null),
    /** What the server says about itself. */
    server: json<NonNullable<Upstream['server']>>().orNull(),
    polled_at: instant().orNull(),
    failing_since: instant().orNull(),
    error: text().orNull(),
  },
  {
    checks: ['(failing_since is null) = (error is null)'],
    indexes: {
      upstreams_by_name: { on: ['project_id', 'name'], unique: true, where: 'deleted_at is null' },
    },
  },
);

export const upstreamTools = table(
  'upstream_tools',
  {
    seq: rowKey(),
    project_id: text().references('projects'),
    upstream_id: text().references('upstreams'),
    name: text(),
    state: oneOf('new', 'approved', 'changed', 'gone'),
    obstacle: text().orNull(),
    found: json<ToolDefinition['content']>().orNull(),
    found_hash: text().orNull(),
    pinned: json<ToolDefinition['content']>().orNull(),
    pinned_hash: text().orNull(),
    risk_tier: oneOf('low', 'medium', 'high', 'critical').orNull(),
    found_at: instant(),
    changed_at: instant(),
    approved_at: instant().orNull(),
  },
  {
    checks: [
      '(found is null) = (found_hash is null)',
      '(pinned is null) = (pinned_hash is null)',
      "(state = 'new') = (pinned is null)",
      '(pinned is null) = (approved_at is null)',
      "state <> 'approved' or (found_hash is not null and found_hash = pinned_hash and obstacle is null)",
    ],
    indexes: {
      upstream_tools_by_name: { on: ['upstream_id', 'name'], unique: true },
      upstream_tools_offered: { on: ['project_id', 'upstream_id', 'name'], where: "state = 'approved'" },
      upstream_tools_to_approve: {
        on: ['seq'],
        where: "state in ('new', 'changed') and found is not null and obstacle is null",
      },
    },
  },
);

export const connectorRequests = table(
  'connector_requests',
  {
    seq: rowKey(),
    id: text().unique(),
    project_id: text(),
    intent_id: text().unique(),
    credential_id: text(),
    tool_name: text(),
    tool_hash: text(),
    arguments_hash: text(),
    result_form: oneOf('json', 'mcp'),
    state: oneOf('pending', 'executing', 'executed', 'failed', 'unknown', 'refused'),
    ran_by: text().orNull(),
    leased_by: text().orNull(),
    leased_until: instant().orNull(),
    result: json<NonNullable<ConnectorRequest['result']>>().orNull(),
    message: text().orNull(),
    created_at: instant(),
    settled_at: instant().orNull(),
    erased_at: instant().orNull(),
  },
  {
    indexes: {
      connector_requests_executing: { on: ['state', 'leased_until'], where: "state = 'executing'" },
      connector_requests_pending: {
        on: ['credential_id', 'tool_name', 'arguments_hash', 'seq'],
        where: "state = 'pending'",
      },
    },
    postgres: GROWING,
  },
);

export const mockRecords = table(
  'mock_records',
  {
    seq: rowKey(),
    /** The intent's. */
    id: text().unique(),
    project_id: text(),
    connector: text(),
    tool: text(),
    arguments: json<JsonObject>(),
    at: instant(),
  },
  {
    indexes: {
      mock_records_by_connector: { on: ['project_id', 'connector', 'id'] },
    },
  },
);

/**
 * For each bucket and minute since the epoch: the budget that gates have taken, the last change of that budget, and the
 * limit then. Rows change often, and free space in their pages keeps that cheap.
 */
const rateBudgets = table(
  'rate_budgets',
  {
    bucket: text(),
    minute: integer(),
    granted: integer(),
    last_grant: integer(),
    most: integer(),
  },
  { primaryKey: ['minute', 'bucket'], only: 'postgres', postgres: { fillfactor: 50 } },
);

/** Ordered so that each table refers only to earlier ones. */
export const TABLES = [
  projects,
  users,
  members,
  memberGroups,
  groupMembers,
  policyVersions,
  agents,
  apiKeys,
  sessions,
  intents,
  issued,
  supersededPermits,
  erasedReceipts,
  retention,
  retentionWaiting,
  unfinishedErasures,
  approvals,
  passkeys,
  passkeyChallenges,
  deviceKeys,
  pairings,
  mandateEntries,
  proofSessions,
  events,
  seals,
  chainHeads,
  idempotencyRecords,
  shadowPolicies,
  shadowDivergences,
  shadowCounts,
  passwords,
  totp,
  recoveryCodes,
  signInTickets,
  oneTimeLinks,
  invitations,
  identities,
  policyProposals,
  counters,
  leases,
  heartbeats,
  signInCounts,
  logReaders,
  deliveries,
  unlistedNotifications,
  reminders,
  notificationPreferences,
  pushSubscriptions,
  pushIdentity,
  chatHooks,
  signingKeys,
  signingKeyRevision,
  installation,
  webhooks,
  upstreams,
  upstreamTools,
  connectorRequests,
  mockRecords,
  rateBudgets,
] as const;

type AnyTable = (typeof TABLES)[number];

/** The tables as Kysely knows them. */
export type Database = {
  [T in AnyTable as T['name']]: T extends Table<string, infer C> ? KyselyTable<C> : never;
};

/** A row as it is read. */
export type Row<N extends keyof Database> = RowOf<Extract<AnyTable, { name: N }>['columns']>;
