/** Where events of a project are sent, and what was or is to be sent there. Addresses and secrets stand sealed. */
export const webhooks = `
create table webhooks (
  seq integer primary key,
  id text not null unique,
  project_id text not null references projects (id),
  sealed_url text not null,
  host text not null,
  description text,
  event_types text,
  secrets text not null,
  -- Events after this place in the chain are sent.
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
create index webhooks_by_project on webhooks (project_id, id) where deleted_at is null;
create index webhooks_deleted on webhooks (deleted_at) where deleted_at is not null;

-- A waiting delivery without due_at stands behind an earlier one of its intent.
create table webhook_deliveries (
  seq integer primary key,
  id text not null unique,
  project_id text not null references projects (id),
  webhook_id text not null references webhooks (id),
  kind text not null check (kind in ('event', 'replay', 'test')),
  replay_id text,
  event_id text,
  event_seq integer,
  event_type text not null,
  intent_id text,
  state text not null check (state in ('waiting', 'delivered', 'failed')),
  created_at text not null,
  due_at text,
  leased_by text,
  followed integer not null check (followed in (0, 1)),
  attempt_count integer not null,
  attempts text not null,
  last_status integer,
  last_error text,
  done_at text,
  check ((state = 'waiting') = (done_at is null)),
  check ((kind = 'test') = (event_id is null))
) strict;
create unique index webhook_deliveries_once on webhook_deliveries (project_id, webhook_id, event_id)
  where kind = 'event';
create index webhook_deliveries_due on webhook_deliveries (project_id, webhook_id, due_at)
  where state = 'waiting';
create index webhook_deliveries_of_intent on webhook_deliveries (project_id, webhook_id, intent_id, seq)
  where state = 'waiting' and intent_id is not null;
create index webhook_deliveries_waiting on webhook_deliveries (created_at) where state = 'waiting';
create index webhook_deliveries_listed on webhook_deliveries (project_id, webhook_id, id);
create index webhook_deliveries_by_state on webhook_deliveries (project_id, webhook_id, state, id);
create index webhook_deliveries_by_replay on webhook_deliveries (project_id, webhook_id, replay_id, id)
  where replay_id is not null;
create index webhook_deliveries_done on webhook_deliveries (done_at) where done_at is not null;
`;
