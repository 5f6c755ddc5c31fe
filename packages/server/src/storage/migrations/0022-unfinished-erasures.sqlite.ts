/**
 * Erasures whose texts are gone from every answer, while the files of the database may still hold them. One row for
 * each subject; \`mark\` changes with every transaction that erases.
 */
export const unfinishedErasures = `
create table unfinished_erasures (
  project_id text not null references projects (id),
  subject text not null,
  subject_id text not null,
  since text not null,
  mark text not null,
  primary key (project_id, subject, subject_id)
);
`;
