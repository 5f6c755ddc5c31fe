/**
 * Who owns an agent, who ever stood behind it and when its owner left; changes of agents among the proposals. Of an
 * agent that exists already nobody knows who made its keys: every owner counts.
 */
export const ownersOfAgents = `
alter table agents add column owner_id text references users (id);
alter table agents add column behind text not null default '["operator"]';
alter table agents add column owner_left_at text;
alter table agents add column owner_left_warned integer not null default 0 check (owner_left_warned in (0, 1));
create index agents_by_owner on agents (project_id, owner_id) where owner_id is not null;
create index agents_to_warn_of on agents (owner_left_warned, owner_left_at) where owner_left_at is not null;

-- SQLite changes no check of a table that exists.
create table proposals_with_agents (
  seq integer primary key,
  id text not null unique,
  project_id text not null references projects (id),
  change text not null check (change in ('policy', 'second_person_off', 'agent')),
  hash text,
  document text,
  based_on_version integer not null,
  based_on_hash text not null,
  comment text,
  proposer_id text not null references users (id),
  proposer text not null,
  created_at text not null,
  status text not null check (status in ('pending', 'approved', 'rejected', 'withdrawn')),
  resolver_id text references users (id),
  resolver text,
  resolved_at text,
  reason text,
  version integer
) strict;
insert into proposals_with_agents select * from policy_proposals;
drop table policy_proposals;
alter table proposals_with_agents rename to policy_proposals;
create index policy_proposals_by_project on policy_proposals (project_id, id);
create index pending_policy_proposals on policy_proposals (project_id, id) where status = 'pending';
`;
