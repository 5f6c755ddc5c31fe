import type { Instant } from '../kernel/instant.ts';
import type { HeardGate, HeartbeatReader } from './heartbeat.ts';

/** A gate writes its heartbeat every few seconds. A gate that is silent for longer than this counts as gone. */
export const DEAD_AFTER_SECONDS = 15;

/** The gates that serve the database. Used by operations that must run only while there are none. */
export async function listServingGates(read: HeartbeatReader, now: Instant): Promise<readonly HeardGate[]> {
  const heard = await read.listHeartbeats(now);
  return heard.filter(({ silentSeconds }) => silentSeconds < DEAD_AFTER_SECONDS);
}
