/**
 * Signing keys in the database, for gates that share one, and how often they were changed; and facts of the whole
 * installation. A gate on SQLite keeps its keys in files.
 */
export const keysInDatabase = `
create table signing_keys (
  kid text primary key,
  document text not null,
  seal text not null
) strict, without rowid;

create table signing_key_revision (
  one integer primary key check (one = 1),
  revision integer not null
) strict;
insert into signing_key_revision (one, revision) values (1, 0);

create table installation (
  name text primary key,
  value text not null
) strict, without rowid;
`;
