import type { AuditWriter } from '../audit/audit-event.ts';
import { recordEvent } from '../audit/record-event.ts';
import { addSeconds, type Instant } from '../kernel/instant.ts';
import type { AfterCommit } from '../kernel/storage.ts';
import { circuitOpenUntil, isHopeless } from './circuit.ts';
import type { Webhook, WebhookReader, WebhookWriter } from './webhook.ts';
import type { WebhookDeps } from './webhook-deps.ts';

const MINUTE_SECONDS = 60;

/**
 * Records the outcome of an attempt for the endpoint's health. Disables an endpoint that is gone, or that fails for
 * days.
 */
export async function noteOutcome(
  gate: Pick<WebhookDeps, 'clock' | 'ids' | 'ledger'>,
  tx: AfterCommit & AuditWriter & WebhookReader & WebhookWriter,
  { id, projectId }: Pick<Webhook, 'id' | 'projectId'>,
  outcome: 'delivered' | 'gone' | 'failed',
): Promise<void> {
  const now = gate.clock.now();
  if (outcome === 'delivered') return tx.noteWebhookSuccess(id, now, addSeconds(now, -MINUTE_SECONDS));
  const webhook = await tx.findWebhook(projectId, id);
  if (webhook) await noteFailure(gate, tx, webhook, outcome === 'gone', now);
}

async function noteFailure(
  gate: Pick<WebhookDeps, 'ids' | 'ledger'>,
  tx: AfterCommit & AuditWriter & WebhookWriter,
  webhook: Webhook,
  isGone: boolean,
  now: Instant,
): Promise<void> {
  await tx.noteWebhookFailure(webhook.id, now, circuitOpenUntil(webhook, now));
  if (!isGone && !isHopeless(webhook, now)) return;
  const reason = isGone ? 'gone' : 'failing';
  if (!(await tx.disableWebhook(webhook.id, reason, now))) return;
  await recordEvent(gate, tx, {
    projectId: webhook.projectId,
    type: 'webhook.disabled',
    occurredAt: now,
    actor: { type: 'system', id: 'webhooks', display: 'delivery of webhooks' },
    data: { webhook_id: webhook.id, host: webhook.host, reason, failing_since: webhook.failingSince },
  });
}
