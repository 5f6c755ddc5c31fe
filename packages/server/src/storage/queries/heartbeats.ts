/** Owns the heartbeats by which gates know each other. */
import type { HeartbeatReader, HeartbeatWriter } from '../../gate/heartbeats/heartbeat.ts';
import { millisecondsBetween } from '../../gate/kernel/instant.ts';
import type { OverRunner } from '../sql/prepared-query.ts';
import { rowsOf } from '../sql/read-statements.ts';
import { heartbeats } from '../sql/tables.ts';
import { deleteFrom, save } from '../sql/write-statements.ts';

const all = rowsOf(heartbeats, (rows) => rows.orderBy('gate_id'));
const write = save(heartbeats, { by: ['gateId'], set: ['seenAt'] });
const deleteOf = deleteFrom(heartbeats, 'gateId');

export const heartbeatQueries: OverRunner<HeartbeatReader & HeartbeatWriter> = {
  listHeartbeats: async (run, now) =>
    (await all.all(run, {})).map(({ seenAt, ...gate }) => ({
      ...gate,
      silentSeconds: millisecondsBetween(seenAt, now) / 1000,
    })),

  saveHeartbeat: (run, heartbeat, now) => write(run, { ...heartbeat, seenAt: now }),

  deleteHeartbeat: (run, gateId) => deleteOf(run, { gateId }),
};
