/**
 * Erasures whose texts are gone from every answer, while the files of the database may still hold them. One row for
 * each subject; `mark` changes with every transaction that erases. What was erased before
 * stands there as one for each project.
 */
export const unfinishedErasures = `
create table unfinished_erasures (
  project_id text collate "C" not null references projects (id),
  subject text collate "C" not null,
  subject_id text collate "C" not null,
  since text collate "C" not null,
  mark text collate "C" not null,
  primary key (project_id, subject, subject_id)
);
insert into unfinished_erasures (project_id, subject, subject_id, since, mark)
select project_id, 'age', '', min(occurred_at), 'before ' || project_id
from events where type = 'text.erased' group by project_id;
`;
