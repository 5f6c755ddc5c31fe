/**
 * What status lists are read along: receipts taken back, agents held, and whose each receipt is. What is left of
 * erased texts, and how far each project's retention has come.
 */
export const receiptStatusAndErasure = `
create index intents_revoked on intents (receipt_index) where revoked_at is not null;
create index intents_by_receipt on intents (receipt_index, agent_key) where receipt_index is not null;
create index agents_by_status on agents (status);

alter table intents add column erased_at text;

-- By the hash of a receipt whoever still holds it can have it verified.
create table erased_receipts (
  receipt_index integer primary key,
  kid text not null,
  jws_hash text not null
) strict;

-- Intents up to swept_intent (their seq) and events up to swept_event (their place in the chain) were looked at.
create table retention (
  project_id text not null primary key references projects (id),
  days integer,
  swept_intent integer not null,
  swept_event integer not null
) strict, without rowid;

-- Intents that were old enough and could still be used: not before due_at.
create table retention_waiting (
  intent_id text not null primary key,
  project_id text not null references projects (id),
  due_at text not null
) strict, without rowid;
create index retention_waiting_by_due on retention_waiting (project_id, due_at);
`;
