/** Heartbeats by the database's own clock, because the clocks of two gates may differ. */
import { sql } from 'kysely';
import type { HeartbeatReader, HeartbeatWriter } from '../../../gate/heartbeats/heartbeat.ts';
import { heartbeatQueries } from '../../queries/heartbeats.ts';
import { type OverRunner, prepare, type QueryRunner } from '../../sql/prepared-query.ts';

const readClock = prepare(
  (db) =>
    db.selectNoFrom(
      sql<string>`to_char(clock_timestamp() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`.as('now'),
    ),
  { locks: 'alone' },
);

async function clockOf(run: QueryRunner): Promise<string> {
  const clock = await run.first(readClock, {});
  if (!clock) throw new Error('the database did not say what time it is');
  return clock.now;
}

export const postgresHeartbeats: Partial<OverRunner<HeartbeatReader & HeartbeatWriter>> = {
  listHeartbeats: async (run) => heartbeatQueries.listHeartbeats(run, await clockOf(run)),

  saveHeartbeat: async (run, heartbeat) => heartbeatQueries.saveHeartbeat(run, heartbeat, await clockOf(run)),
};
