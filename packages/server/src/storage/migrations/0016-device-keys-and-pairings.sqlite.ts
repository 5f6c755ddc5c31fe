/**
 * Device keys of people, pairings by which a program becomes a person's, and proof sessions that take either a passkey
 * or a device key.
 */
export const deviceKeysAndPairings = `
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

-- SQLite changes no check of a table that is there. Who proves something at this moment starts anew.
drop table proof_sessions;
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
`;
