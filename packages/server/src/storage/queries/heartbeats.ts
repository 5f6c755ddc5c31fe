/** Owns what gates leave for one another to know them by. */
import type { HeartbeatReader, HeartbeatWriter } from '../../gate/heartbeats/heartbeat.ts';
import { millisecondsBetween } from '../../gate/kernel/instant.ts';
import { type OverRunner, prepare } from '../sql/prepared-query.ts';
import type { Row } from '../sql/tables.ts';

const listRows = prepare((db) => db.selectFrom('heartbeats').selectAll().orderBy('gate_id'));

const saveRow = prepare((db, $: Row<'heartbeats'>) =>
  db
    .insertInto('heartbeats')
    .values({
      gate_id: $.gate_id,
      base_url: $.base_url,
      version: $.version,
      started_at: $.started_at,
      seen_at: $.seen_at,
    })
    .onConflict((conflict) => conflict.column('gate_id').doUpdateSet({ seen_at: $.seen_at })),
);

const deleteRow = prepare((db, $: { gateId: string }) =>
  db.deleteFrom('heartbeats').where('gate_id', '=', $.gateId),
);

export const heartbeatReads: OverRunner<HeartbeatReader> = {
  async listHeartbeats(run, now) {
    return (await run.all(listRows, {})).map((row) => ({
      gateId: row.gate_id,
      baseUrl: row.base_url,
      version: row.version,
      startedAt: row.started_at,
      silentSeconds: millisecondsBetween(row.seen_at, now) / 1000,
    }));
  },
};

export const heartbeatWrites: OverRunner<HeartbeatWriter> = {
  async saveHeartbeat(run, { gateId, baseUrl, version, startedAt }, now) {
    await run.change(saveRow, {
      gate_id: gateId,
      base_url: baseUrl,
      version,
      started_at: startedAt,
      seen_at: now,
    });
  },

  async deleteHeartbeat(run, gateId) {
    await run.change(deleteRow, { gateId });
  },
};
