/**
 * Passkeys of people, what they are to sign next, and proof sessions. A vote keeps what the approver's device signed,
 * until the intent's receipt has it.
 */
export const passkeysAndProof = `
create table passkeys (
  seq integer primary key,
  id text not null unique,
  user_id text not null references users (id),
  credential_id text not null unique,
  public_key text not null,
  jwk text not null,
  sign_count integer not null,
  transports text not null,
  backed_up integer not null,
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

create table proof_sessions (
  id text not null primary key,
  user_id text not null references users (id),
  approver text not null,
  intent_id text not null,
  decision text not null check (decision in ('approve', 'deny')),
  method text not null check (method in ('passkey')),
  nonce text not null,
  exp integer not null,
  tries integer not null,
  status text not null check (status in ('pending', 'completed', 'spent')),
  evidence text,
  expires_at text not null
) strict, without rowid;
create index proof_sessions_by_expiry on proof_sessions (expires_at);

alter table approvals add column evidence text;
`;
