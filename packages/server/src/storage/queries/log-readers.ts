/** Owns how far readers of the log have come. */
import type { NotificationReader, NotificationWriter } from '../../gate/notifications/notification.ts';
import type { OverRunner } from '../sql/prepared-query.ts';
import { findIn } from '../sql/read-statements.ts';
import { logReaders } from '../sql/tables.ts';
import { guarded, insertOnce } from '../sql/write-statements.ts';

const findPosition = findIn(logReaders, 'reader', 'projectId');
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

  moveReader: (run, reader, projectId, from, to) =>
    from === undefined
      ? begin(run, { reader, projectId, seq: to })
      : move(run, { reader, projectId, from, to }),
} satisfies Partial<OverRunner<NotificationReader & NotificationWriter>>;
