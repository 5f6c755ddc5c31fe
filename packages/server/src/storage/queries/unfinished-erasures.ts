/** Owns the list of erasures whose texts the files may still hold. */
import type {
  UnfinishedErasureReader,
  UnfinishedErasureWriter,
} from '../../gate/erasure/unfinished-erasure.ts';
import { type OverRunner, prepare } from '../sql/prepared-query.ts';
import type { Row } from '../sql/tables.ts';

const list = prepare((db, _: object) => db.selectFrom('unfinished_erasures').selectAll().orderBy('since'));

const findOfProject = prepare((db, $: { projectId: string }) =>
  db.selectFrom('unfinished_erasures').select('mark').where('project_id', '=', $.projectId).limit(1),
);

const measure = prepare((db, _: object) =>
  db
    .selectFrom('unfinished_erasures')
    .select((eb) => [eb.fn.countAll<number>().as('count'), eb.fn.min('since').as('oldest')]),
);

const save = prepare((db, $: Row<'unfinished_erasures'>) =>
  db
    .insertInto('unfinished_erasures')
    .values({
      project_id: $.project_id,
      subject: $.subject,
      subject_id: $.subject_id,
      since: $.since,
      mark: $.mark,
    })
    .onConflict((conflict) =>
      conflict.columns(['project_id', 'subject', 'subject_id']).doUpdateSet({ mark: $.mark }),
    ),
);

const remove = prepare((db, $: Pick<Row<'unfinished_erasures'>, 'mark'>) =>
  db.deleteFrom('unfinished_erasures').where('mark', '=', $.mark),
);

export const unfinishedErasureReads: OverRunner<UnfinishedErasureReader> = {
  async hasUnfinishedErasures(run, projectId) {
    return (await run.first(findOfProject, { projectId })) !== undefined;
  },

  async listUnfinishedErasures(run) {
    return (await run.all(list, {})).map((row) => ({
      projectId: row.project_id,
      subject: row.subject,
      subjectId: row.subject_id === '' ? null : row.subject_id,
      since: row.since,
      mark: row.mark,
    }));
  },

  async measureUnfinishedErasures(run) {
    const row = await run.first(measure, {});
    return { count: row?.count ?? 0, oldestSince: row?.oldest ?? null };
  },
};

export const unfinishedErasureWrites: OverRunner<UnfinishedErasureWriter> = {
  async saveUnfinishedErasure(run, { projectId, subject, subjectId, since, mark }) {
    await run.change(save, { project_id: projectId, subject, subject_id: subjectId ?? '', since, mark });
  },

  async deleteUnfinishedErasure(run, { mark }) {
    await run.change(remove, { mark });
  },
};
