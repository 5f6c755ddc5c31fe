/** The gates that serve the database: one, here. */
export const gates = `
create table heartbeats (
  gate_id text not null primary key,
  base_url text not null,
  version text not null,
  started_at text not null,
  seen_at text not null
) strict, without rowid;
`;
