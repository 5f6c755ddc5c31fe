/**
 * How people prove who they are: passwords, second factors, identities at other providers, and the one-time links and
 * tickets on the way. Whatever could be presented stands here as its SHA-256 alone, a password as its argon2id hash.
 */
export const signIn = `
create table passwords (
  user_id text not null primary key references users (id),
  hash text not null,
  changed_at text not null
) strict, without rowid;

-- last_step: the time step of the latest code that was taken. It only rises, so each code is taken once.
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
create index sign_in_tickets_by_user on sign_in_tickets (user_id);
create index sign_in_tickets_by_expiry on sign_in_tickets (expires_at);

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
create index invitations_by_project on invitations (project_id, seq);
create index invitations_by_email on invitations (email);

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

-- People whose programs brought this member in, at first or at further hand: JSON list of user ids.
alter table members add column brought_in_by text not null default '[]';
`;
