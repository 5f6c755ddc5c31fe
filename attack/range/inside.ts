import type { KeyObject } from 'node:crypto';

/** What an arena in the gate's own process shows beside the answers. Over HTTP nobody sees it. */
export interface Inside {
  /** With which the gate signs; left out where its file does not tell. */
  findSigningKey(): KeyObject | undefined;
  /** Ends what has expired, as the gate does by itself from time to time. */
  endExpired(): Promise<unknown>;
  /** Changes what is stored, behind the gate's back. */
  alter(statement: string): Promise<void>;
  /** Every row of every table but the events, remembered answers and times of last use. */
  rows(): Record<string, unknown[]>;
  /** The remembered answers to requests with an Idempotency-Key. */
  remembered(): readonly unknown[];
  /** The position of the last event. */
  position(): number;
  /** Events after a position, sealed or not, in their order. */
  written(after: number): readonly WrittenEvent[];
}

/** As far as a case needs it. */
interface WrittenEvent {
  type: string;
  projectId: string;
  intentId: string | null;
  actorId: string;
  data: Record<string, unknown>;
}
