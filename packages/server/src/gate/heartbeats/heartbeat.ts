/**
 * Owns what gates on one database know about each other: which gates serve the database, at which address, and when
 * each last wrote its heartbeat.
 */
import type { Instant } from '../kernel/instant.ts';

export interface Heartbeat {
  /** Id of this run of the gate. */
  gateId: string;
  baseUrl: string;
  version: string;
  startedAt: Instant;
}

export interface HeardGate extends Heartbeat {
  /** Seconds since the gate last wrote its heartbeat. */
  silentSeconds: number;
}

export interface HeartbeatReader {
  /**
   * All gates that did not shut down cleanly, alive or dead.
   *
   * @param now For a database without a clock of its own. The clocks of two gates may differ.
   */
  listHeartbeats(now: Instant): Promise<readonly HeardGate[]>;
}

export interface HeartbeatWriter {
  saveHeartbeat(heartbeat: Heartbeat, now: Instant): Promise<void>;
  deleteHeartbeat(gateId: string): Promise<void>;
}
