/** Owns what the mock connectors did. */
import type { MockRecordReader, MockRecordWriter } from '../../gate/tools/mock-record.ts';
import { fromJson, toJson } from '../sql/column.ts';
import { type OverRunner, prepare, prepareShapes } from '../sql/prepared-query.ts';
import type { NewRow } from '../sql/tables.ts';

type ListParams = { projectId: string; connector: string; beforeId: string; limit: number };

const listRows = prepareShapes((db, $: ListParams, shape: { paged: boolean }) => {
  const rows = db
    .selectFrom('mock_records')
    .selectAll()
    .where('project_id', '=', $.projectId)
    .where('connector', '=', $.connector)
    .orderBy('id', 'desc')
    .limit($.limit);
  return shape.paged ? rows.where('id', '<', $.beforeId) : rows;
});

const insertRow = prepare((db, $: NewRow<'mock_records'>) =>
  db
    .insertInto('mock_records')
    .values({
      id: $.id,
      project_id: $.project_id,
      connector: $.connector,
      tool: $.tool,
      arguments: $.arguments,
      at: $.at,
    })
    .onConflict((conflict) => conflict.column('id').doNothing()),
);

const eraseRow = prepare((db, $: { id: string }) =>
  db.updateTable('mock_records').set({ arguments: '{}' }).where('id', '=', $.id),
);

export const mockRecordReads: OverRunner<MockRecordReader> = {
  async listMockRecords(run, projectId, connector, { beforeId, limit }) {
    const query = listRows({ paged: beforeId !== undefined });
    const rows = await run.all(query, { projectId, connector, beforeId: beforeId ?? '', limit });
    return rows.map((row) => ({
      id: row.id,
      projectId: row.project_id,
      connector: row.connector,
      tool: row.tool,
      arguments: fromJson(row.arguments),
      at: row.at,
    }));
  },
};

export const mockRecordWrites: OverRunner<MockRecordWriter> = {
  async insertMockRecord(run, record) {
    const inserted = await run.change(insertRow, {
      id: record.id,
      project_id: record.projectId,
      connector: record.connector,
      tool: record.tool,
      arguments: toJson(record.arguments),
      at: record.at,
    });
    return inserted === 1;
  },

  async eraseMockRecord(run, id) {
    await run.change(eraseRow, { id });
  },
};
