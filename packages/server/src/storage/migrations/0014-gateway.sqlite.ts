/** Calls of tools through the gateway, and what the mock connectors did. */
export const gateway = `
create table connector_requests (
  seq integer primary key,
  id text not null unique,
  project_id text not null,
  intent_id text not null unique,
  credential_id text not null,
  tool_name text not null,
  tool_hash text not null,
  arguments_hash text not null,
  result_form text not null check (result_form in ('json', 'mcp')),
  state text not null check (state in ('pending', 'executing', 'executed', 'failed', 'unknown', 'refused')),
  ran_by text,
  leased_by text,
  leased_until text,
  result text,
  message text,
  created_at text not null,
  settled_at text,
  erased_at text
) strict;
create index connector_requests_executing on connector_requests (state, leased_until) where state = 'executing';
create index connector_requests_pending on connector_requests (credential_id, tool_name, arguments_hash, seq)
  where state = 'pending';

create table mock_records (
  seq integer primary key,
  id text not null unique,
  project_id text not null,
  connector text not null,
  tool text not null,
  arguments text not null,
  at text not null
) strict;
create index mock_records_by_connector on mock_records (project_id, connector, id);
`;
