/**
 * Who is told of what: how far readers of the log have come, the outbox, and what people and projects want to be told.
 * Addresses of hooks and devices stand sealed.
 */
export const notifications = `
-- Events up to seq (their place in the chain) were dealt with.
create table log_readers (
  reader text not null,
  project_id text not null references projects (id),
  seq integer not null,
  primary key (reader, project_id)
) strict, without rowid;

create table notifications (
  seq integer primary key,
  cause_id text not null,
  kind text not null,
  channel text not null check (channel in ('mail', 'push', 'chat')),
  target text not null,
  user_id text,
  project_id text,
  intent_id text,
  detail text not null,
  state text not null check (state in ('waiting', 'sent', 'dropped', 'given_up')),
  created_at text not null,
  due_at text not null,
  attempts integer not null,
  last_error text,
  done_at text,
  check ((state = 'waiting') = (done_at is null)),
  unique (cause_id, kind, channel, target)
) strict;
create index notifications_due on notifications (channel, due_at) where state = 'waiting';
create index notifications_by_target on notifications (channel, target, due_at) where state = 'waiting';
create index notifications_sent on notifications (channel, target, done_at) where state = 'sent';
create index notifications_done on notifications (done_at) where done_at is not null;
create index notifications_by_intent on notifications (intent_id) where intent_id is not null;
create index notifications_by_person on notifications (user_id) where user_id is not null;

-- How many more there were for a target than the outbox keeps.
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
  one integer primary key check (one = 1),
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
`;
