/** Owns the records of the mock connectors. */
import type { MockRecordReader, MockRecordWriter } from '../../gate/tools/mock-record.ts';
import type { OverRunner } from '../sql/prepared-query.ts';
import { rowsOf } from '../sql/read-statements.ts';
import { mockRecords } from '../sql/tables.ts';
import { insertOnce, updateOf } from '../sql/write-statements.ts';

type ListParams = { projectId: string; connector: string; beforeId: string | undefined; limit: number };

const list = rowsOf(mockRecords, (rows, $: ListParams) => {
  const newest = rows
    .where('project_id', '=', $.projectId)
    .where('connector', '=', $.connector)
    .orderBy('id', 'desc')
    .limit($.limit);
  return $.beforeId === undefined ? newest : newest.where('id', '<', $.beforeId);
});

const erase = updateOf(mockRecords, { set: ['arguments'], where: ['id'] });

export const mockRecordQueries: OverRunner<MockRecordReader & MockRecordWriter> = {
  listMockRecords: (run, projectId, connector, { beforeId, limit }) =>
    list.all(run, { projectId, connector, beforeId, limit }),

  insertMockRecord: insertOnce(mockRecords, 'id'),

  eraseMockRecord: (run, id) => erase(run, { id, arguments: {} }),
};
