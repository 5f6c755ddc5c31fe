/** Browser sessions of people. Of the cookie's token only the SHA-256 is stored. */
export const sessions = `
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
create index sessions_by_user on sessions (user_id, seq);
create index sessions_by_expiry on sessions (expires_at);
`;
