/** Changes of a policy that wait for a second person, and what became of them; which projects ask for one. */
export const policyProposals = `
alter table projects add column policy_second_person integer not null default 0
  check (policy_second_person in (0, 1));

create table policy_proposals (
  seq integer primary key,
  id text not null unique,
  project_id text not null references projects (id),
  change text not null check (change in ('policy', 'second_person_off')),
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
create index policy_proposals_by_project on policy_proposals (project_id, id);
create index pending_policy_proposals on policy_proposals (project_id, id) where status = 'pending';
`;
