import type { EventType, JsonObject } from '@permitry/protocol';
import type { Actor } from '../gate/audit/audit-event.ts';
import { recordEvent } from '../gate/audit/record-event.ts';
import type { Gate } from '../gate/gate.ts';
import type { Transaction } from '../gate/ports.ts';

/**
 * Tells the ledger of each project the person belongs to of a change in how they sign in: it decides how much their
 * approvals are worth there. Never a secret, nor anything made of one.
 */
export async function recordAccountEvent(
  gate: Gate,
  tx: Transaction,
  event: { type: EventType; userId: string; actor: Actor; data?: JsonObject },
): Promise<void> {
  const { type, userId, actor, data = {} } = event;
  const occurredAt = gate.clock.now();
  for (const { projectId } of await tx.listMemberships(userId)) {
    await recordEvent(gate, tx, { projectId, type, occurredAt, actor, data: { user_id: userId, ...data } });
  }
}

/** The person, of whom it is known that they are there. */
export function asActor(user: { id: string; email: string }): Actor {
  return { type: 'user', id: user.id, display: user.email };
}
