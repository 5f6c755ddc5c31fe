/**
 * What was asked for again, by whom, and who asked for more time. The last approval that people gave of an action is
 * found by an index of those alone: what policy approves on the hot path never touches it.
 */
export const askingAgain = `
alter table intents add column asked_again_from text collate "C";
alter table intents add column asked_by text collate "C";
alter table intents add column extension text collate "C";
create unique index intents_by_first_asked on intents (asked_again_from) where asked_again_from is not null;
create index intents_by_action on intents (project_key, action, seq)
  where status = 'approved' and decision = 'require_approval';
`;
