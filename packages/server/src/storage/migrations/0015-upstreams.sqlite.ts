/** MCP servers of others behind the gate, and their tools as they were found and approved. How one is reached stands sealed. */
export const upstreams = `
create table upstreams (
  seq integer primary key,
  id text not null unique,
  project_id text not null references projects (id),
  name text not null,
  kind text not null check (kind in ('http', 'stdio')),
  target text not null,
  secret_names text not null,
  sealed_settings text not null,
  risk_tier text not null check (risk_tier in ('low', 'medium', 'high', 'critical')),
  timeout_seconds integer not null,
  version integer not null,
  created_at text not null,
  updated_at text not null,
  deleted_at text,
  server text,
  looked_at text,
  failing_since text,
  error text,
  check ((failing_since is null) = (error is null))
) strict;
create unique index upstreams_by_name on upstreams (project_id, name) where deleted_at is null;

create table upstream_tools (
  seq integer primary key,
  project_id text not null references projects (id),
  upstream_id text not null references upstreams (id),
  name text not null,
  state text not null check (state in ('new', 'approved', 'changed', 'gone')),
  obstacle text,
  found text,
  found_hash text,
  pinned text,
  pinned_hash text,
  risk_tier text check (risk_tier in ('low', 'medium', 'high', 'critical')),
  found_at text not null,
  changed_at text not null,
  approved_at text,
  check ((found is null) = (found_hash is null)),
  check ((pinned is null) = (pinned_hash is null)),
  check ((state = 'new') = (pinned is null)),
  check ((pinned is null) = (approved_at is null)),
  -- What is offered is what was found, and nothing stands in its way.
  check (state <> 'approved' or (found_hash is not null and found_hash = pinned_hash and obstacle is null))
) strict;
create unique index upstream_tools_by_name on upstream_tools (upstream_id, name);
create index upstream_tools_offered on upstream_tools (project_id, upstream_id, name) where state = 'approved';
create index upstream_tools_to_approve on upstream_tools (seq)
  where state in ('new', 'changed') and found is not null and obstacle is null;
`;
