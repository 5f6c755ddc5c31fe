import type { EventType, JsonObject } from '@permitry/protocol';
import type { Actor } from '../gate/access/caller.ts';
import type { AuditWriter } from '../gate/audit/audit-event.ts';
import { recordEvent } from '../gate/audit/record-event.ts';
import type { AfterCommit } from '../gate/kernel/storage.ts';
import type { NotificationReader } from '../gate/notifications/notification.ts';
import { type AccountNotice, notifyAboutAccount } from '../gate/notifications/notify-account.ts';
import type { OutboxWriter } from '../gate/outbox/delivery.ts';
import type { ProjectReader } from '../gate/projects/project.ts';
import type { PeopleDeps } from './people-deps.ts';

/**
 * Events that also notify the person. Passkey events are not here: their notice needs the passkey's name, so the
 * passkey operation sends it. A password change has its own email.
 */
const NOTICES: Readonly<Partial<Record<EventType, AccountNotice>>> = {
  'second_factor.enabled': 'totp_enabled',
  'second_factor.removed': 'totp_disabled',
  'recovery_codes.made': 'recovery_codes_replaced',
  'recovery_code.used': 'recovery_code_used',
  'identity.linked': 'identity_added',
  'identity.removed': 'identity_removed',
  'sign_in.blocked': 'sign_in_blocked',
};

/**
 * Records a change in how a person signs in, in the audit log of each of the person's projects. The change affects how
 * far their approvals can be trusted there. The event never contains a secret, or anything derived from one.
 */
export async function recordAccountEvent(
  gate: PeopleDeps,
  tx: AfterCommit & AuditWriter & NotificationReader & OutboxWriter & ProjectReader,
  event: { type: EventType; userId: string; actor: Actor; data?: JsonObject },
): Promise<void> {
  const { type, userId, actor, data = {} } = event;
  const occurredAt = gate.clock.now();
  for (const { projectId } of await tx.listMemberships(userId)) {
    await recordEvent(gate, tx, { projectId, type, occurredAt, actor, data: { user_id: userId, ...data } });
  }
  const notice = NOTICES[type];
  if (notice !== undefined) await notifyAboutAccount(gate, tx, { userId, notice });
}

/** The actor for a person who is known to be present. */
export function asActor(user: { id: string; email: string }): Actor {
  return { type: 'user', id: user.id, display: user.email };
}
