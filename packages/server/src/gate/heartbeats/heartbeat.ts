/**
 * Owns what gates on one database know about each other: which gates serve it, at which address, and when each was last
 * heard.
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
  /** Seconds since it last wrote its heartbeat. */
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
