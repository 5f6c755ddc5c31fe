/** Owns the positions up to which readers have read the log. */
import type { OutboxReader, OutboxWriter } from '../../gate/outbox/delivery.ts';
import { type OverRunner, prepare } from '../sql/prepared-query.ts';
import { findIn } from '../sql/read-statements.ts';
import { logReaders } from '../sql/tables.ts';
import { guarded, insertOnce } from '../sql/write-statements.ts';

const findPosition = findIn(logReaders, 'reader', 'projectId');
const listBehind = prepare((db, $: { reader: string }) =>
  db
    .selectFrom('projects')
    .leftJoin('chain_heads', 'chain_heads.project_id', 'projects.id')
    .leftJoin('log_readers', (join) =>
      join.onRef('log_readers.project_id', '=', 'projects.id').on('log_readers.reader', '=', $.reader),
    )
    .select('projects.id')
    .where((eb) =>
      eb(eb.fn.coalesce('chain_heads.seq', eb.lit(0)), '>', eb.fn.coalesce('log_readers.seq', eb.lit(0))),
    ),
);
const begin = insertOnce(logReaders);
const move = guarded(logReaders, (rows, $: { reader: string; projectId: string; from: number; to: number }) =>
  rows
    .set({ seq: $.to })
    .where('reader', '=', $.reader)
    .where('project_id', '=', $.projectId)
    .where('seq', '=', $.from),
);

export const logReaderQueries = {
  findReaderPosition: async (run, reader, projectId) => (await findPosition(run, { reader, projectId }))?.seq,

  listProjectsBehind: async (run, reader) => (await run.all(listBehind, { reader })).map(({ id }) => id),

  moveReader: (run, reader, projectId, from, to) =>
    from === undefined
      ? begin(run, { reader, projectId, seq: to })
      : move(run, { reader, projectId, from, to }),
} satisfies Partial<OverRunner<OutboxReader & OutboxWriter>>;
