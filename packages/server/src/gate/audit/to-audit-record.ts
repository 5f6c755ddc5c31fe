import type { AuditEventContent, AuditRecord } from '@permitry/protocol';
import type { AuditEvent, SealedEvent } from './audit-event.ts';

/** The members that the event's own hash covers, under the names in which they are hashed. */
export function toAuditEventContent(event: Omit<AuditEvent, 'eventHash' | 'projectId'>): AuditEventContent {
  return {
    id: event.id,
    type: event.type,
    occurred_at: event.occurredAt,
    actor: event.actor,
    intent_id: event.intentId,
    data: event.data,
    commitments: event.commitments,
  };
}

/** The event as in answers and exports. */
export function toAuditRecord(event: SealedEvent): AuditRecord {
  return {
    ...toAuditEventContent(event),
    seq: event.seq,
    event_hash: event.eventHash,
    prev_hash: event.prevHash,
    hash: event.hash,
  };
}
