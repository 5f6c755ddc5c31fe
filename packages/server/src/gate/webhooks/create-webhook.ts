import { assertScope } from '../access/assert-scope.ts';
import type { Caller } from '../access/caller.ts';
import { GateError } from '../kernel/errors.ts';
import type { Remember } from '../kernel/idempotency.ts';
import { changeProject } from '../projects/change-project.ts';
import { sealAddress } from './address.ts';
import { mintSecret } from './secrets.ts';
import type { Webhook } from './webhook.ts';
import type { WebhookDeps } from './webhook-deps.ts';
import { checkDescription, checkTypes } from './webhook-fields.ts';

/** The most webhooks of one project. Each webhook receives a copy of every event that it wants. */
const MOST_WEBHOOKS = 20;

export interface NewWebhook {
  projectId: string;
  url: string;
  /** Null or omitted: all events. */
  eventTypes?: readonly string[] | null;
  description?: string | null;
}

/**
 * Creates a webhook, which gets every wanted event that is sealed from then on.
 *
 * @returns The `secret` cannot be shown again.
 * @throws GateError `project_not_found`, `forbidden`, `proof_required`, `invalid_fields`, `conflict` when there are too
 * many
 */
export async function createWebhook(
  gate: WebhookDeps,
  caller: Caller,
  { projectId, url, eventTypes = null, description = null }: NewWebhook,
  remember?: Remember<{ webhook: Webhook; secret: string }>,
): Promise<{ webhook: Webhook; secret: string }> {
  assertScope(caller, 'webhooks:write', projectId);
  // Seals all earlier events first, because a webhook gets no event that happened before its creation.
  await gate.ledger.sealNow(projectId);
  return changeProject(
    gate,
    caller,
    projectId,
    'webhooks:write',
    async ({ tx, now, record }) => {
      const id = gate.ids.next('whk');
      const address = sealAddress(gate, { id, projectId }, url);
      const wanted = checkTypes(eventTypes);
      const label = checkDescription(description);
      if ((await tx.listWebhooks(projectId)).length >= MOST_WEBHOOKS)
        throw new GateError('conflict', `A project has at most ${MOST_WEBHOOKS} webhooks.`, {});
      const { text, secret } = mintSecret(gate, { id, projectId });
      const webhook: Webhook = {
        id,
        projectId,
        ...address,
        description: label,
        eventTypes: wanted,
        secrets: [secret],
        afterSeq: (await tx.findChainHead(projectId))?.seq ?? 0,
        createdAt: now,
        updatedAt: now,
        disabledAt: null,
        disabledReason: null,
        failures: 0,
        failingSince: null,
        openUntil: null,
        lastDeliveredAt: null,
      };
      await tx.insertWebhook(webhook);
      await record('webhook.created', {
        webhook_id: id,
        host: webhook.host,
        event_types: wanted && [...wanted],
      });
      return { webhook, secret: text };
    },
    remember,
  );
}
