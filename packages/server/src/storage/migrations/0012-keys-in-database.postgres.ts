/**
 * Signing keys in the database, for gates that share one, and how often they were changed; and facts of the whole
 * installation.
 */
export const keysInDatabase = `
create table signing_keys (
  kid text collate "C" primary key,
  document text collate "C" not null,
  seal text collate "C" not null
);

create table signing_key_revision (
  one bigint primary key check (one = 1),
  revision bigint not null
);
insert into signing_key_revision (one, revision) values (1, 0);

create table installation (
  name text collate "C" primary key,
  value text collate "C" not null
);
`;
