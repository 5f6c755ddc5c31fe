/** Finds the people to notify that the gate disabled a webhook. No person disabled it, so nobody knows. */
import type { JsonObject } from '@permitry/protocol';
import type { SealedEvent } from '../audit/audit-event.ts';
import type { Webhook } from '../webhooks/webhook.ts';
import { findManagers } from './find-managers.ts';
import type { Notice } from './notice.ts';
import type { NotificationDeps } from './notification-deps.ts';

export async function toWebhookNotices(
  gate: Pick<NotificationDeps, 'storage'>,
  { id: causeId, projectId, data }: SealedEvent,
): Promise<Notice[]> {
  const { reason, webhook_id: webhookId } = data;
  if (reason === 'requested' || typeof webhookId !== 'string') return [];
  const userIds = await findManagers(gate, projectId);
  const about = { intentId: null, riskTier: null, detail: { webhook_id: webhookId } };
  return [{ causeId, kind: 'webhook_disabled', projectId, ...about, userIds, forChat: false }];
}

/**
 * The webhook, checked again when the notice is sent. Undefined once the webhook is enabled or deleted, or the person
 * no longer manages the project.
 */
export async function findWebhookOfNotice(
  gate: Pick<NotificationDeps, 'storage'>,
  { projectId, userId, detail }: { projectId: string; userId: string | null; detail: JsonObject },
): Promise<Webhook | undefined> {
  const { webhook_id: webhookId } = detail;
  if (typeof webhookId !== 'string' || userId === null) return undefined;
  const webhook = await gate.storage.read.findWebhook(projectId, webhookId);
  if (!webhook || webhook.disabledReason === null || webhook.disabledReason === 'requested') return undefined;
  return (await findManagers(gate, projectId)).includes(userId) ? webhook : undefined;
}
