import {
  type AuditCommitment,
  auditEventHash,
  commitText,
  committedText,
  type EventType,
  type JsonObject,
} from '@permitry/protocol';
import type { Actor } from '../access/caller.ts';
import type { Instant } from '../kernel/instant.ts';
import type { AfterCommit } from '../kernel/storage.ts';
import type { AuditDeps } from './audit-deps.ts';
import type { AuditEvent, AuditWriter } from './audit-event.ts';
import { toAuditEventContent } from './to-audit-record.ts';

export interface EventToRecord {
  projectId: string;
  type: EventType;
  occurredAt: Instant;
  actor: Actor;
  intentId?: string | null;
  /** Never a secret, a permit token or the parameters of an action. */
  data?: JsonObject;
  /**
   * JSON Pointers of texts below `/data/` that may hold personal data, e.g. `/data/reason`. Null values need no
   * commitment.
   */
  personal?: readonly string[];
}

/** The types of actors whose display names contain email addresses. */
const PEOPLE: ReadonlySet<Actor['type']> = new Set(['user', 'key']);

const NONE: AuditEvent['commitments'] = {};

/**
 * Writes the event in the transaction of the change that it records, and has the log sealed soon after the commit.
 *
 * @throws when a pointer in `personal` leads to no text: a wrong pointer would make that text impossible to erase.
 */
export function recordEvent(
  gate: Pick<AuditDeps, 'ids' | 'ledger'>,
  tx: AfterCommit & AuditWriter,
  event: EventToRecord,
): Promise<void> {
  const { projectId, type, occurredAt, actor, intentId = null, data = {} } = event;
  const commitments = commitTexts(gate, event, data);
  const content = { id: gate.ids.next('evt'), type, occurredAt, actor, intentId, data, commitments };
  const eventHash = auditEventHash(projectId, toAuditEventContent(content));
  tx.afterCommit(() => gate.ledger.recorded(content.id, event));
  return tx.insertEvent({ ...content, projectId, eventHash });
}

function commitTexts(
  gate: Pick<AuditDeps, 'ids'>,
  { actor, personal = [], type }: EventToRecord,
  data: JsonObject,
): AuditEvent['commitments'] {
  const ofPerson = PEOPLE.has(actor.type);
  if (!ofPerson && personal.length === 0) return NONE;
  const commitments: Record<string, AuditCommitment> = {};
  for (const pointer of ofPerson ? ['/actor/display', ...personal] : personal) {
    const text = committedText({ actor, data }, pointer);
    if (text === undefined) throw new Error(`${type}: there is no text at ${pointer}`);
    if (text === null) continue;
    const salt = gate.ids.salt();
    commitments[pointer] = { digest: commitText(text, salt), salt };
  }
  return commitments;
}
