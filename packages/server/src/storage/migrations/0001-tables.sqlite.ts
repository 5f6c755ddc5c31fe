/** Written by `npm run schema` from storage/sql/tables.ts. */
export const tables = `
create table projects (
  seq integer primary key,
  id text not null unique,
  name text not null,
  mode text not null check (mode in ('test', 'live')),
  stopped_at text,
  rate_limit_per_minute integer,
  policy_second_person integer not null check (policy_second_person in (0, 1)),
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
  brought_in_by text not null,
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
  owner_id text references users (id),
  behind text not null,
  owner_left_at text,
  owner_left_warned integer not null check (owner_left_warned in (0, 1)),
  unique (project_id, name)
) strict;
create index agents_by_owner on agents (project_id, owner_id)
  where owner_id is not null;
create index agents_by_project on agents (project_id, seq);
create index agents_by_status on agents (status);
create index agents_to_warn_of on agents (owner_left_warned, owner_left_at)
  where owner_left_at is not null;

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
create index api_keys_by_agent on api_keys (agent_id)
  where agent_id is not null;
create index api_keys_by_person on api_keys (owner_id, seq)
  where project_id is null;
create index api_keys_by_project on api_keys (project_id, seq);

create table sessions (
  seq integer primary key,
  id text not null unique,
  token_hash text not null unique,
  user_id text not null references users (id),
  methods text not null,
  signed_in_at text not null,
  confirmed_at text not null,
  last_seen_at text not null,
  expires_at text not null,
  address text,
  user_agent text,
  ended_at text
) strict;
create index sessions_by_expiry on sessions (expires_at);
create index sessions_by_user on sessions (user_id, seq);

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
  erased_at text,
  asked_again_from text,
  asked_by text,
  extension_request text,
  risk_rated integer not null check (risk_rated in (0, 1)),
  denied_by text,
  approvers text not null,
  requirement text not null,
  approvals text not null,
  metadata text not null,
  params text not null,
  check ((status = 'approved') = (permit_id is not null and receipt_index is not null))
) strict;
create index intents_by_action on intents (project_key, action, seq)
  where status = 'approved' and decision = 'require_approval';
create index intents_by_agent on intents (agent_key, status, seq)
  where agent_key is not null;
create index intents_by_approval on intents (project_key, substr(params_hash, 8, 12), action, approved_at)
  where status = 'approved' and decision = 'require_approval';
create index intents_by_denial on intents (project_key, substr(params_hash, 8, 12), action, resolved_at)
  where denied_by is not null;
create index intents_by_expiry on intents (expires_at)
  where status = 'pending';
create unique index intents_by_first_asked on intents (asked_again_from)
  where asked_again_from is not null;
create index intents_by_project on intents (project_key, status, seq);
create index intents_by_receipt on intents (receipt_index, agent_key)
  where receipt_index is not null;
create index intents_by_urgency on intents (project_key, risk_tier, expires_at, seq)
  where status = 'pending';
create index intents_revoked on intents (receipt_index)
  where revoked_at is not null;

create table issued (
  receipt_index integer not null primary key,
  permit_id text not null,
  token text not null,
  issued_at text not null,
  expires_at text not null,
  receipt text
) strict;

create table superseded_permits (
  seq integer primary key,
  id text not null unique,
  intent_key integer not null,
  token text not null,
  issued_at text not null,
  expires_at text not null
) strict;

create table erased_receipts (
  receipt_index integer not null primary key,
  kid text not null,
  jws_hash text not null
) strict;

create table retention (
  project_id text not null primary key references projects (id),
  days integer,
  swept_intent_seq integer not null,
  swept_event_seq integer not null
) strict, without rowid;

create table retention_waiting (
  intent_id text not null primary key,
  project_id text not null references projects (id),
  due_at text not null
) strict, without rowid;
create index retention_waiting_by_due on retention_waiting (project_id, due_at);

create table unfinished_erasures (
  project_id text not null references projects (id),
  subject text not null,
  subject_id text not null,
  since text not null,
  mark text not null,
  primary key (project_id, subject, subject_id)
) strict, without rowid;

create table approvals (
  seq integer primary key,
  intent_id text not null references intents (id),
  user_id text not null,
  by text not null,
  decision text not null check (decision in ('approve', 'deny')),
  at text not null,
  method text not null,
  credential_id text not null,
  evidence text,
  unique (intent_id, user_id)
) strict;

create table passkeys (
  seq integer primary key,
  id text not null unique,
  user_id text not null references users (id),
  credential_id text not null unique,
  public_key text not null,
  jwk text not null,
  sign_count integer not null,
  transports text not null,
  backed_up integer not null check (backed_up in (0, 1)),
  name text not null,
  created_at text not null,
  last_used_at text
) strict;
create index passkeys_by_user on passkeys (user_id, seq);

create table passkey_challenges (
  ticket_hash text not null primary key,
  purpose text not null check (purpose in ('register', 'sign_in', 'confirm')),
  user_id text,
  challenge text not null,
  expires_at text not null
) strict, without rowid;
create index passkey_challenges_by_expiry on passkey_challenges (expires_at);

create table device_keys (
  seq integer primary key,
  id text not null unique,
  user_id text not null references users (id),
  key_id text not null unique,
  jwk text not null,
  name text not null,
  created_at text not null,
  last_used_at text
) strict;
create index device_keys_by_user on device_keys (user_id, seq);

create table pairings (
  id text not null primary key,
  device_code_hash text not null unique,
  user_code text not null unique,
  purpose text not null check (purpose in ('token', 'device_key')),
  name text not null,
  rights text not null,
  lifetime_seconds integer,
  jwk text,
  address text,
  status text not null check (status in ('pending', 'approved', 'denied', 'taken')),
  interval_seconds integer not null,
  polled_at text,
  user_id text,
  device_key_id text,
  created_at text not null,
  expires_at text not null
) strict, without rowid;
create index pairings_by_expiry on pairings (expires_at);

create table mandate_entries (
  mandate_id text not null,
  entry integer not null,
  uses_limit integer not null,
  uses_per_day integer,
  uses integer not null,
  day text not null,
  day_uses integer not null,
  total_limit_1 integer,
  day_limit_1 integer,
  total_1 integer not null,
  day_total_1 integer not null,
  total_limit_2 integer,
  day_limit_2 integer,
  total_2 integer not null,
  day_total_2 integer not null,
  total_limit_3 integer,
  day_limit_3 integer,
  total_3 integer not null,
  day_total_3 integer not null,
  total_limit_4 integer,
  day_limit_4 integer,
  total_4 integer not null,
  day_total_4 integer not null,
  primary key (mandate_id, entry)
) strict, without rowid;

create table proof_sessions (
  id text not null primary key,
  user_id text not null references users (id),
  credential_id text,
  approver text not null,
  intent_id text not null,
  decision text not null check (decision in ('approve', 'deny')),
  method text not null check (method in ('device', 'passkey')),
  nonce text not null,
  exp integer not null,
  tries integer not null,
  status text not null check (status in ('pending', 'completed', 'spent')),
  evidence text,
  expires_at text not null
) strict, without rowid;
create index proof_sessions_by_expiry on proof_sessions (expires_at);

create table events (
  position integer primary key,
  project_id text not null,
  project_key integer not null,
  seq integer not null,
  intent_key integer,
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
create index events_by_intent on events (intent_key, seq)
  where intent_key is not null;
create unique index events_by_project on events (project_key, seq);

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

create table shadow_policies (
  project_id text not null primary key references projects (id),
  hash text not null,
  document text not null,
  since text not null,
  created_by text not null,
  evaluated integer not null,
  diverged integer not null
) strict;

create table shadow_divergences (
  seq integer primary key,
  project_id text not null references shadow_policies (project_id),
  intent_id text not null,
  at text not null,
  difference text not null
) strict;
create index shadow_divergences_by_project on shadow_divergences (project_id, seq);

create table shadow_counts (
  project_id text not null references shadow_policies (project_id),
  kind text not null check (kind in ('divergence', 'failure')),
  name text not null,
  count integer not null,
  primary key (project_id, kind, name)
) strict, without rowid;

create table passwords (
  user_id text not null primary key references users (id),
  hash text not null,
  changed_at text not null
) strict, without rowid;

create table totp (
  user_id text not null primary key references users (id),
  secret text not null,
  last_step integer not null,
  created_at text not null,
  confirmed_at text
) strict, without rowid;

create table recovery_codes (
  user_id text not null references users (id),
  hash text not null,
  primary key (user_id, hash)
) strict, without rowid;

create table sign_in_tickets (
  token_hash text not null primary key,
  user_id text not null references users (id),
  tries_left integer not null,
  expires_at text not null
) strict, without rowid;
create index sign_in_tickets_by_expiry on sign_in_tickets (expires_at);
create index sign_in_tickets_by_user on sign_in_tickets (user_id);

create table one_time_links (
  token_hash text not null primary key,
  kind text not null check (kind in ('set_up', 'password_reset')),
  user_id text not null references users (id),
  created_at text not null,
  expires_at text not null
) strict, without rowid;
create index one_time_links_by_user on one_time_links (user_id, kind);

create table invitations (
  seq integer primary key,
  id text not null unique,
  project_id text not null references projects (id),
  email text not null,
  role text not null,
  token_hash text not null unique,
  invited_by text,
  invited_by_display text not null,
  brought_in_by text not null,
  created_at text not null,
  expires_at text not null,
  accepted_at text,
  accepted_by text,
  revoked_at text
) strict;
create index invitations_by_email on invitations (email);
create index invitations_by_project on invitations (project_id, seq);

create table identities (
  seq integer primary key,
  id text not null unique,
  user_id text not null references users (id),
  provider text not null,
  issuer text not null,
  subject text not null,
  display text not null,
  created_at text not null,
  last_used_at text not null,
  unique (issuer, subject)
) strict;
create index identities_by_user on identities (user_id, seq);

create table policy_proposals (
  seq integer primary key,
  id text not null unique,
  project_id text not null references projects (id),
  change text not null check (change in ('policy', 'second_person_off', 'agent')),
  hash text,
  document text,
  based_on_version integer not null,
  based_on_hash text not null,
  comment text,
  proposer_id text not null references users (id),
  proposer text not null,
  created_at text not null,
  status text not null check (status in ('pending', 'approved', 'rejected', 'withdrawn')),
  resolver_id text references users (id),
  resolver text,
  resolved_at text,
  reason text,
  version integer
) strict;
create index pending_policy_proposals on policy_proposals (project_id, id)
  where status = 'pending';
create index policy_proposals_by_project on policy_proposals (project_id, id);

create table counters (
  name text not null primary key,
  next integer not null
) strict, without rowid;

create table leases (
  queue text not null,
  name text not null,
  leased_by text not null,
  leased_until text not null,
  primary key (queue, name)
) strict, without rowid;

create table heartbeats (
  gate_id text not null primary key,
  base_url text not null,
  version text not null,
  started_at text not null,
  seen_at text not null
) strict, without rowid;

create table sign_in_counts (
  name text not null primary key,
  count integer not null,
  until text not null,
  kept_until text not null
) strict, without rowid;
create index sign_in_counts_by_time on sign_in_counts (kept_until);

create table log_readers (
  reader text not null,
  project_id text not null references projects (id),
  seq integer not null,
  primary key (reader, project_id)
) strict, without rowid;

create table deliveries (
  seq integer primary key,
  id text not null unique,
  channel text not null check (channel in ('mail', 'push', 'chat', 'webhook')),
  target text not null,
  kind text not null,
  cause_id text,
  user_id text,
  project_id text,
  intent_id text,
  detail text not null,
  event_seq integer,
  event_type text,
  replay_id text,
  state text not null check (state in ('waiting', 'delivered', 'dropped', 'failed')),
  created_at text not null,
  due_at text,
  leased_by text,
  followed integer not null check (followed in (0, 1)),
  attempt_count integer not null,
  attempts text not null,
  last_status integer,
  last_error text,
  done_at text,
  check ((state = 'waiting') = (done_at is null))
) strict;
create index deliveries_by_person on deliveries (user_id)
  where user_id is not null;
create index deliveries_by_replay on deliveries (project_id, target, replay_id, id)
  where replay_id is not null;
create index deliveries_done on deliveries (channel, done_at)
  where done_at is not null;
create index deliveries_due on deliveries (channel, target, due_at)
  where state = 'waiting';
create index deliveries_due_to_people on deliveries (channel, due_at)
  where state = 'waiting' and channel <> 'webhook';
create index deliveries_in_order on deliveries (target, intent_id, seq)
  where state = 'waiting' and channel = 'webhook' and intent_id is not null;
create unique index deliveries_once on deliveries (cause_id, kind, channel, target)
  where kind <> 'replay';
create index deliveries_sent on deliveries (channel, target, done_at)
  where state = 'delivered' and channel <> 'webhook';
create index deliveries_to_people on deliveries (intent_id)
  where channel <> 'webhook' and intent_id is not null;
create index deliveries_to_webhook on deliveries (project_id, target, id)
  where channel = 'webhook';
create index deliveries_to_webhook_by_state on deliveries (project_id, target, state, id)
  where event_type is not null;
create index deliveries_waiting on deliveries (channel, created_at)
  where state = 'waiting';

create table unlisted_notifications (
  channel text not null,
  target text not null,
  count integer not null,
  primary key (channel, target)
) strict, without rowid;

create table reminders (
  intent_id text not null primary key,
  project_id text not null references projects (id),
  due_at text not null
) strict, without rowid;
create index reminders_by_due on reminders (due_at);

create table notification_preferences (
  user_id text not null primary key references users (id),
  document text not null,
  updated_at text not null
) strict, without rowid;

create table push_subscriptions (
  seq integer primary key,
  id text not null unique,
  user_id text not null references users (id),
  endpoint_hash text not null unique,
  sealed text not null,
  host text not null,
  label text not null,
  created_at text not null,
  last_sent_at text
) strict;
create index push_subscriptions_by_person on push_subscriptions (user_id, seq);

create table push_identity (
  one integer not null primary key check (one in (1)),
  public_key text not null,
  private_key text not null,
  created_at text not null
) strict;

create table chat_hooks (
  project_id text not null primary key references projects (id),
  sealed text not null,
  host text not null,
  hint text not null,
  kinds text not null,
  minimum_risk_tier text not null,
  updated_at text not null,
  last_sent_at text,
  last_error text
) strict, without rowid;

create table signing_keys (
  kid text not null primary key,
  document text not null,
  seal text not null
) strict, without rowid;

create table signing_key_revision (
  one integer not null primary key check (one in (1)),
  revision integer not null
) strict;
insert into signing_key_revision (one, revision) values (1, 0);

create table installation (
  name text not null primary key,
  value text not null
) strict, without rowid;

create table webhooks (
  seq integer primary key,
  id text not null unique,
  project_id text not null references projects (id),
  sealed_url text not null,
  host text not null,
  description text,
  event_types text,
  secrets text not null,
  after_seq integer not null,
  created_at text not null,
  updated_at text not null,
  disabled_at text,
  disabled_reason text check (disabled_reason in ('requested', 'gone', 'failing')),
  deleted_at text,
  failures integer not null,
  failing_since text,
  open_until text,
  last_delivered_at text,
  check ((disabled_at is null) = (disabled_reason is null))
) strict;
create index webhooks_by_project on webhooks (project_id, id)
  where deleted_at is null;
create index webhooks_deleted on webhooks (deleted_at)
  where deleted_at is not null;

create table upstreams (
  seq integer primary key,
  id text not null unique,
  project_id text not null references projects (id),
  name text not null,
  kind text not null check (kind in ('http', 'stdio')),
  target text not null,
  secret_names text not null,
  sealed_settings text not null,
  risk_tier text not null check (risk_tier in ('low', 'medium', 'high', 'critical')),
  timeout_seconds integer not null,
  version integer not null,
  created_at text not null,
  updated_at text not null,
  deleted_at text,
  server text,
  polled_at text,
  failing_since text,
  error text,
  check ((failing_since is null) = (error is null))
) strict;
create unique index upstreams_by_name on upstreams (project_id, name)
  where deleted_at is null;

create table upstream_tools (
  seq integer primary key,
  project_id text not null references projects (id),
  upstream_id text not null references upstreams (id),
  name text not null,
  state text not null check (state in ('new', 'approved', 'changed', 'gone')),
  obstacle text,
  found text,
  found_hash text,
  pinned text,
  pinned_hash text,
  risk_tier text check (risk_tier in ('low', 'medium', 'high', 'critical')),
  found_at text not null,
  changed_at text not null,
  approved_at text,
  check ((found is null) = (found_hash is null)),
  check ((pinned is null) = (pinned_hash is null)),
  check ((state = 'new') = (pinned is null)),
  check ((pinned is null) = (approved_at is null)),
  check (state <> 'approved' or (found_hash is not null and found_hash = pinned_hash and obstacle is null))
) strict;
create unique index upstream_tools_by_name on upstream_tools (upstream_id, name);
create index upstream_tools_offered on upstream_tools (project_id, upstream_id, name)
  where state = 'approved';
create index upstream_tools_to_approve on upstream_tools (seq)
  where state in ('new', 'changed') and found is not null and obstacle is null;

create table connector_requests (
  seq integer primary key,
  id text not null unique,
  project_id text not null,
  intent_id text not null unique,
  credential_id text not null,
  tool_name text not null,
  tool_hash text not null,
  arguments_hash text not null,
  result_form text not null check (result_form in ('json', 'mcp')),
  state text not null check (state in ('pending', 'executing', 'executed', 'failed', 'unknown', 'refused')),
  ran_by text,
  leased_by text,
  leased_until text,
  result text,
  message text,
  created_at text not null,
  settled_at text,
  erased_at text
) strict;
create index connector_requests_executing on connector_requests (state, leased_until)
  where state = 'executing';
create index connector_requests_pending on connector_requests (credential_id, tool_name, arguments_hash, seq)
  where state = 'pending';

create table mock_records (
  seq integer primary key,
  id text not null unique,
  project_id text not null,
  connector text not null,
  tool text not null,
  arguments text not null,
  at text not null
) strict;
create index mock_records_by_connector on mock_records (project_id, connector, id);
`;
