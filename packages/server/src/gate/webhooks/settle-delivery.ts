import type { AuditWriter } from '../audit/audit-event.ts';
import { recordEvent } from '../audit/record-event.ts';
import { nextAttemptAt } from '../kernel/backoff.ts';
import { addSeconds, type Instant } from '../kernel/instant.ts';
import type { AfterCommit } from '../kernel/storage.ts';
import { circuitOpenUntil, isHopeless } from './circuit.ts';
import type {
  AttemptRecord,
  Delivery,
  DeliveryAttempt,
  LeasedDelivery,
  Webhook,
  WebhookWriter,
} from './webhook.ts';
import type { WebhookDeps } from './webhook-deps.ts';

/** How one attempt went. `gone`: the endpoint wants nothing any more (410). */
export type AttemptOutcome =
  | { kind: 'delivered'; attempt: DeliveryAttempt }
  | { kind: 'gone'; attempt: DeliveryAttempt }
  | { kind: 'failed'; attempt: DeliveryAttempt; afterSeconds?: number };

/** What became of the delivery. `lost`: somebody else holds it by now. */
export type Settled = 'delivered' | 'postponed' | 'failed' | 'lost';

const FIRST_RETRY_SECONDS = 5;
const KEPT_ATTEMPTS = 20;
const MINUTE_SECONDS = 60;

/**
 * Writes down how an attempt went: of the delivery, and of the webhook it was made for. Once the delivery is done, the
 * next of its intent has its turn.
 *
 * @param random From 0 to 1: spreads what failed together.
 */
export async function settleDelivery(
  gate: WebhookDeps,
  delivery: LeasedDelivery,
  outcome: AttemptOutcome,
  random: number,
): Promise<Settled> {
  const now = gate.clock.now();
  const { projectId, webhookId, position, holder } = delivery;
  const record = toRecord(delivery, outcome.attempt);
  return gate.storage.transaction(
    async (tx) => {
      if (outcome.kind === 'delivered') {
        await tx.noteWebhookSuccess(webhookId, now, addSeconds(now, -MINUTE_SECONDS));
        return (await tx.finishDelivery(delivery, holder, 'delivered', now, record)) ? 'delivered' : 'lost';
      }
      const webhook = await tx.findWebhook(projectId, webhookId);
      if (webhook) await noteFailure(gate, tx, webhook, outcome.kind === 'gone', now);
      const again = outcome.kind === 'gone' ? null : retryAt(delivery, outcome.afterSeconds, now, random);
      if (again !== null) {
        return (await tx.postponeDelivery(position, holder, again, record)) ? 'postponed' : 'lost';
      }
      return (await tx.finishDelivery(delivery, holder, 'failed', now, record)) ? 'failed' : 'lost';
    },
    { guarded: true },
  );
}

function retryAt(
  { createdAt, attemptCount }: Delivery,
  atLeastSeconds: number | undefined,
  now: Instant,
  random: number,
): Instant | null {
  const pace = { firstSeconds: FIRST_RETRY_SECONDS, atLeastSeconds };
  return nextAttemptAt({ createdAt, attempts: attemptCount }, now, random, pace);
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

function toRecord(
  { attempts, attemptCount }: Pick<Delivery, 'attempts' | 'attemptCount'>,
  attempt: DeliveryAttempt,
): AttemptRecord {
  return {
    attempts: [...attempts, attempt].slice(-KEPT_ATTEMPTS),
    attemptCount: attemptCount + 1,
    lastStatus: attempt.status,
    lastError: attempt.error,
  };
}
