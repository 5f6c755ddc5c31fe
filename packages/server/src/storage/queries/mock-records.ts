/** Owns what the mock connectors did. */
import type { MockRecordReader, MockRecordWriter } from '../../gate/tools/mock-record.ts';
import { type OverRunner, prepareShapes } from '../sql/prepared-query.ts';
import { mockRecords } from '../sql/tables.ts';
import { insertOnce, updateOf } from '../sql/write-statements.ts';

type ListParams = { projectId: string; connector: string; beforeId: string; limit: number };

const list = prepareShapes((db, $: ListParams, shape: { paged: boolean }) => {
  const rows = db
    .selectFrom('mock_records')
    .select(mockRecords.names)
    .where('project_id', '=', $.projectId)
    .where('connector', '=', $.connector)
    .orderBy('id', 'desc')
    .limit($.limit);
  return shape.paged ? rows.where('id', '<', $.beforeId) : rows;
});

const erase = updateOf(mockRecords, { set: ['arguments'], where: ['id'] });

export const mockRecordQueries: OverRunner<MockRecordReader & MockRecordWriter> = {
  async listMockRecords(run, projectId, connector, { beforeId, limit }) {
    const query = list({ paged: beforeId !== undefined });
    const rows = await run.all(query, { projectId, connector, beforeId: beforeId ?? '', limit });
    return rows.map(mockRecords.toObject);
  },

  insertMockRecord: insertOnce(mockRecords, 'id'),

  eraseMockRecord: (run, id) => erase(run, { id, arguments: {} }),
};
