/** The gates that serve the database, and what they look for now and then: chains that others sealed lately. */
export const gates = `
-- Written by its gate every few seconds, seen_at by the clock of the database.
create table heartbeats (
  gate_id text collate "C" not null primary key,
  base_url text collate "C" not null,
  version text collate "C" not null,
  started_at text collate "C" not null,
  seen_at text collate "C" not null
);

create index chain_heads_by_time on chain_heads (sealed_at);

-- Every event is written once more, when it is sealed, and leaves an entry behind in the index of those that are not,
-- which is walked several times a second. So that is cleared while it is short, whatever the size of the table.
alter table events set (
  autovacuum_vacuum_scale_factor = 0.02,
  autovacuum_vacuum_threshold = 10000,
  vacuum_index_cleanup = on
);
`;
