/** Owns what gates on one database know of one another: who serves it, under which address, and when it was last heard of. */
import type { Instant } from '../kernel/instant.ts';

export interface Heartbeat {
  /** Of this run of the gate. */
  gateId: string;
  baseUrl: string;
  version: string;
  startedAt: Instant;
}

export interface HeardGate extends Heartbeat {
  /** Since it last wrote its heartbeat. */
  silentSeconds: number;
}

export interface HeartbeatReader {
  /**
   * Of all gates that did not stop in order, the living and the dead.
   *
   * @param now Compared with where the database has no clock of its own: those of two gates may be apart.
   */
  listHeartbeats(now: Instant): Promise<readonly HeardGate[]>;
}

export interface HeartbeatWriter {
  saveHeartbeat(heartbeat: Heartbeat, now: Instant): Promise<void>;
  deleteHeartbeat(gateId: string): Promise<void>;
}
