/**
 * Who works on what when several gates share a database, and how often somebody tried to sign in. Names of accounts and
 * addresses stand as digests. What PostgreSQL counts of rate limits, one process counts in memory.
 */
export const queuesAndLimits = `
create table leases (
  queue text not null,
  name text not null,
  leased_by text not null,
  leased_until text not null,
  primary key (queue, name)
) strict, without rowid;

create table sign_in_counts (
  name text not null primary key,
  count integer not null,
  until text not null,
  kept_until text not null
) strict, without rowid;
create index sign_in_counts_by_time on sign_in_counts (kept_until);
`;
