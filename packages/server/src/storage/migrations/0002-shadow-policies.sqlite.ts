/**
 * A project's shadow policy, the newest of its divergences, and counts of all of them. None of it is a record of what
 * happened: it goes with the shadow it belongs to.
 */
export const shadowPolicies = `
create table shadow_policies (
  project_id text not null primary key references projects (id),
  hash text not null,
  document text not null,
  since text not null,
  created_by text not null,
  evaluated integer not null,
  diverged integer not null
) strict;

create table shadow_divergences (
  seq integer primary key,
  project_id text not null references shadow_policies (project_id),
  intent_id text not null,
  at text not null,
  difference text not null
) strict;
create index shadow_divergences_by_project on shadow_divergences (project_id, seq);

create table shadow_counts (
  project_id text not null references shadow_policies (project_id),
  kind text not null check (kind in ('divergence', 'failure')),
  name text not null,
  count integer not null,
  primary key (project_id, kind, name)
) strict, without rowid;
`;
