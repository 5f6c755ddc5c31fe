import type { EventType, JsonObject } from '@permitry/protocol';
import type { Gate } from '../gate.ts';
import type { Instant, Transaction } from '../ports.ts';
import type { Actor } from './audit-event.ts';

export interface EventToRecord {
  projectId: string;
  type: EventType;
  occurredAt: Instant;
  actor: Actor;
  intentId?: string | null;
  /** Never a secret, a permit token or the parameters of an action. */
  data?: JsonObject;
  /** JSON Pointers of texts in the record that may hold personal data, e.g. `/data/reason`. */
  personal?: readonly string[];
}

/** To be written: writes the event in `tx` and asks the ledger to seal soon after the commit. */
export declare function recordEvent(gate: Gate, tx: Transaction, event: EventToRecord): Promise<void>;
