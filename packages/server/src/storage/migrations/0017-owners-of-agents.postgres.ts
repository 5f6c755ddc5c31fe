/**
 * Who owns an agent, who ever stood behind it and when its owner left; changes of agents among the proposals. Of an
 * agent that exists already nobody knows who made its keys: every owner counts.
 */
export const ownersOfAgents = `
alter table agents add column owner_id text collate "C" references users (id);
alter table agents add column behind text collate "C" not null default '["operator"]';
alter table agents add column owner_left_at text collate "C";
alter table agents add column owner_left_warned bigint not null default 0 check (owner_left_warned in (0, 1));
create index agents_by_owner on agents (project_id, owner_id) where owner_id is not null;
create index agents_to_warn_of on agents (owner_left_warned, owner_left_at) where owner_left_at is not null;

alter table policy_proposals drop constraint policy_proposals_change_check;
alter table policy_proposals add constraint policy_proposals_change_check
  check (change in ('policy', 'second_person_off', 'agent'));
`;
