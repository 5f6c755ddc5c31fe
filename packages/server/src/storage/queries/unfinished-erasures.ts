/** Owns the list of erasures whose texts the files may still contain. */
import type {
  UnfinishedErasureReader,
  UnfinishedErasureWriter,
} from '../../gate/erasure/unfinished-erasure.ts';
import { type OverRunner, prepare } from '../sql/prepared-query.ts';
import { listIn } from '../sql/read-statements.ts';
import { unfinishedErasures } from '../sql/tables.ts';
import { deleteFrom, save } from '../sql/write-statements.ts';

const list = listIn(unfinishedErasures, { orderBy: 'since' });
const remove = deleteFrom(unfinishedErasures, 'mark');

const findOfProject = prepare((db, $: { projectId: string }) =>
  db.selectFrom('unfinished_erasures').select('mark').where('project_id', '=', $.projectId).limit(1),
);

const measure = prepare((db, _: object) =>
  db
    .selectFrom('unfinished_erasures')
    .select((eb) => [eb.fn.countAll<number>().as('count'), eb.fn.min('since').as('oldest')]),
);

export const unfinishedErasureQueries: OverRunner<UnfinishedErasureReader & UnfinishedErasureWriter> = {
  hasUnfinishedErasures: async (run, projectId) =>
    (await run.first(findOfProject, { projectId })) !== undefined,

  listUnfinishedErasures: (run) => list(run, {}),

  async measureUnfinishedErasures(run) {
    const row = await run.first(measure, {});
    return { count: row?.count ?? 0, oldestSince: row?.oldest ?? null };
  },

  saveUnfinishedErasure: save(unfinishedErasures, {
    by: ['projectId', 'subject', 'subjectId'],
    set: ['mark'],
  }),

  deleteUnfinishedErasure: (run, { mark }) => remove(run, { mark }),
};
