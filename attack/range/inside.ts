import type { KeyObject } from 'node:crypto';

/** What an arena in the gate's own process shows besides the responses. This is not visible over HTTP. */
export interface Inside {
  /** The gate's signing key. Undefined if the key's file does not reveal it. */
  findSigningKey(): KeyObject | undefined;
  /** Ends expired requests, as the gate does on its own from time to time. */
  endExpired(): Promise<unknown>;
  /** Lets requests in progress continue for `count` turns of the gate's event loop, or reads of its database. */
  turns(count: number): Promise<void>;
  /** Changes stored data, bypassing the gate. */
  alter(statement: string): Promise<void>;
  /** Every row of every table except the events, remembered responses and times of last use. */
  rows(): Record<string, unknown[]>;
  /** The remembered responses to requests with an Idempotency-Key. */
  remembered(): readonly unknown[];
  /** The position of the last event. */
  position(): number;
  /** Events after a position, sealed or not, in order. */
  written(after: number): readonly WrittenEvent[];
}

/** The part of an event that cases need. */
interface WrittenEvent {
  type: string;
  projectId: string;
  intentId: string | null;
  actorId: string;
  data: Record<string, unknown>;
}
