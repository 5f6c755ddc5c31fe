/**
 * Who denied a request, where a person did. The last denial of the same action with the same parameters is found by an
 * index of those alone: neither what policy denies nor what is withdrawn is in it, however often that happens.
 */
export const denials = `
alter table intents add column denied_by text collate "C";
update intents set denied_by = (
  select user_id from approvals where approvals.intent_id = intents.id and approvals.decision = 'deny' limit 1
) where status = 'denied';
create index intents_by_denial on intents (project_key, action, params_hash, resolved_at) where denied_by is not null;
`;
