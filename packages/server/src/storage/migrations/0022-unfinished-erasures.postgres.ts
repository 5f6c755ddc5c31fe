/**
 * Erasures whose texts are gone from every answer, while the files of the database may still hold them. One row for
 * each subject; \`mark\` changes with every transaction that erases.
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
`;
