/**
 * Who works on what when several gates share a database, how often somebody tried to sign in (names of accounts and
 * addresses stand as digests), and what gates have taken of the limits per minute.
 */
export const queuesAndLimits = `
create table leases (
  queue text collate "C" not null,
  name text collate "C" not null,
  leased_by text collate "C" not null,
  leased_until text collate "C" not null,
  primary key (queue, name)
);

create table sign_in_counts (
  name text collate "C" not null primary key,
  count bigint not null,
  until text collate "C" not null,
  kept_until text collate "C" not null
);
create index sign_in_counts_by_time on sign_in_counts (kept_until);

-- Of a bucket in a minute since the epoch: how much was handed to gates, how much of it last, and the limit then. Rows
-- change again and again: room in their pages keeps that cheap.
create table rate_budgets (
  bucket text collate "C" not null,
  minute bigint not null,
  granted bigint not null,
  last_grant bigint not null,
  most bigint not null,
  primary key (minute, bucket)
) with (fillfactor = 50);
`;
