/**
 * What status lists are read along: receipts taken back, agents held, and whose each receipt is. What is left of
 * erased texts, and how far each project's retention has come.
 */
export const receiptStatusAndErasure = `
create index intents_revoked on intents (receipt_index) where revoked_at is not null;
create index intents_by_receipt on intents (receipt_index, agent_key) where receipt_index is not null;
create index agents_by_status on agents (status);

alter table intents add column erased_at text collate "C";

-- By the hash of a receipt whoever still holds it can have it verified.
create table erased_receipts (
  receipt_index bigint primary key,
  kid text collate "C" not null,
  jws_hash text collate "C" not null
);

-- Intents up to swept_intent (their seq) and events up to swept_event (their place in the chain) were looked at.
create table retention (
  project_id text collate "C" not null primary key references projects (id),
  days bigint,
  swept_intent bigint not null,
  swept_event bigint not null
);

-- Intents that were old enough and could still be used: not before due_at.
create table retention_waiting (
  intent_id text collate "C" not null primary key,
  project_id text collate "C" not null references projects (id),
  due_at text collate "C" not null
);
create index retention_waiting_by_due on retention_waiting (project_id, due_at);
`;
