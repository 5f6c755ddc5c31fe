/**
 * The first schema. Inside, rows are numbered by the database in order of time, and every index starts with what the
 * question starts with; the id that the world sees is unique text beside it.
 */
export const initial = `
create table projects (
  seq integer primary key,
  id text not null unique,
  name text not null,
  mode text not null check (mode in ('test', 'live')),
  stopped_at text,
  rate_limit_per_minute integer,
  revision integer not null,
  created_at text not null
) strict;

create table users (
  seq integer primary key,
  id text not null unique,
  email text not null,
  email_key text not null unique,
  name text,
  created_at text not null
) strict;

create table members (
  project_id text not null references projects (id),
  user_id text not null references users (id),
  role text not null,
  created_at text not null,
  primary key (project_id, user_id)
) strict, without rowid;
create index members_by_user on members (user_id);

create table member_groups (
  project_id text not null references projects (id),
  name text not null,
  created_at text not null,
  primary key (project_id, name)
) strict, without rowid;

create table group_members (
  project_id text not null,
  group_name text not null,
  user_id text not null,
  primary key (project_id, group_name, user_id),
  foreign key (project_id, group_name) references member_groups (project_id, name),
  foreign key (project_id, user_id) references members (project_id, user_id)
) strict, without rowid;
create index group_members_by_user on group_members (project_id, user_id);

create table policy_versions (
  project_id text not null references projects (id),
  version integer not null,
  hash text not null,
  document text not null,
  created_at text not null,
  created_by text not null,
  primary key (project_id, version)
) strict;

create table agents (
  seq integer primary key,
  id text not null unique,
  project_id text not null references projects (id),
  name text not null collate nocase,
  fingerprint text,
  framework text,
  labels text not null,
  risk_tier text not null,
  status text not null check (status in ('active', 'paused', 'revoked')),
  created_at text not null,
  last_seen_at text,
  unique (project_id, name)
) strict;
create index agents_by_project on agents (project_id, seq);

create table api_keys (
  seq integer primary key,
  id text not null unique,
  kind text not null,
  project_id text references projects (id),
  name text not null,
  hash text not null unique,
  hint text not null,
  agent_id text references agents (id),
  owner_id text references users (id),
  rights text not null,
  rate_limit_per_minute integer,
  created_at text not null,
  expires_at text,
  revoked_at text,
  last_used_at text
) strict;
create index api_keys_by_project on api_keys (project_id, seq);
create index api_keys_by_person on api_keys (owner_id, seq) where project_id is null;
create index api_keys_by_agent on api_keys (agent_id) where agent_id is not null;

-- Long texts stand last: a guard or a list that does not need them does not read them. Indexes hold numbers instead of
-- ids (project_key and agent_key are the seq of their rows): an index of short entries splits its pages far less often.
create table intents (
  seq integer primary key,
  id text not null unique,
  project_key integer not null,
  agent_key integer,
  project_id text not null,
  status text not null check (status in ('pending', 'approved', 'denied', 'expired')),
  revision integer not null,
  action text not null,
  params_hash text not null,
  intent_hash text not null,
  source text,
  source_type text not null,
  risk_tier text not null,
  proof_tier text not null,
  requester_type text not null,
  requester_id text not null,
  requester_display text not null,
  requester_owner_id text,
  agent_id text,
  requested_risk_tier text not null,
  requested_proof_tier text not null,
  min_approvals integer,
  decision text not null,
  rule text,
  policy_hash text not null,
  permit_ttl_seconds integer not null,
  created_at text not null,
  expires_at text not null,
  approvals_received integer not null,
  approvals_required integer not null,
  resolved_at text,
  resolved_by text,
  reason text,
  approved_by text,
  approved_at text,
  permit_id text,
  receipt_index integer,
  consumed_at text,
  consumed_by text,
  revoked_at text,
  outcome text,
  outcome_at text,
  approvers text not null,
  requirement text not null,
  approvals text not null,
  metadata text not null,
  params text not null,
  check ((status = 'approved') = (permit_id is not null and receipt_index is not null))
) strict;
create index intents_by_project on intents (project_key, status, seq);
create index intents_by_agent on intents (agent_key, status, seq) where agent_key is not null;
create index intents_by_expiry on intents (expires_at) where status = 'pending';

-- What an approval issued, beside the intent: the permit in force and the receipt are read together, and an intent's
-- row that grew when it is approved would split the pages around it. Under the receipt's number, which rises, so that
-- whatever is approved its row comes last.
create table issued (
  receipt_index integer primary key,
  permit_id text not null,
  token text not null,
  issued_at text not null,
  expires_at text not null,
  receipt text not null
) strict;

-- Permits that gave way to a fresh one of their intent.
create table superseded_permits (
  seq integer primary key,
  id text not null unique,
  intent_key integer not null,
  token text not null,
  issued_at text not null,
  expires_at text not null
) strict;

create table approvals (
  seq integer primary key,
  intent_id text not null references intents (id),
  user_id text not null,
  approver text not null,
  decision text not null check (decision in ('approve', 'deny')),
  at text not null,
  method text not null,
  credential_id text not null,
  unique (intent_id, user_id)
) strict;

-- An event is written once and never touched again (but for a text that is erased): it has its place among those of
-- its project from the start, and the hashes of the chain stand in seals. Nobody looks an event up by its id.
create table events (
  position integer primary key,
  project_key integer not null,
  seq integer not null,
  intent_key integer,
  project_id text not null,
  id text not null,
  type text not null,
  occurred_at text not null,
  actor_type text not null,
  actor_id text not null,
  actor_display text,
  intent_id text,
  data text not null,
  commitments text not null,
  event_hash text not null
) strict;
create unique index events_by_project on events (project_key, seq);
create index events_by_intent on events (intent_key, seq) where intent_key is not null;

-- A stretch of a chain: the hash before it, and the hashes of its records, 64 hexadecimal digits each, one after another.
create table seals (
  position integer primary key,
  project_id text not null references projects (id),
  first_seq integer not null,
  last_seq integer not null,
  prev_hash text not null,
  hashes text not null
) strict;
create unique index seals_by_project on seals (project_id, last_seq);

create table chain_heads (
  project_id text not null primary key references projects (id),
  seq integer not null,
  hash text not null,
  sealed_at text not null,
  jws text not null
) strict, without rowid;

-- Numbers handed out once each, e.g. places in the status list of receipts.
create table counters (
  name text not null primary key,
  next integer not null
) strict, without rowid;

create table idempotency_records (
  seq integer primary key,
  scope text not null,
  key text not null,
  body_hash text not null,
  status integer not null,
  body text not null,
  expires_at text not null,
  unique (scope, key)
) strict;
create index idempotency_records_by_expiry on idempotency_records (expires_at);
`;
