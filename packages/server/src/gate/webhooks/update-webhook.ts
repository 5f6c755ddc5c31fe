import { assertScope } from '../access/assert-scope.ts';
import type { Caller } from '../access/caller.ts';
import type { AuditReader } from '../audit/audit-event.ts';
import { unknownWebhook } from '../kernel/not-found.ts';
import { changeProject, type ProjectChange } from '../projects/change-project.ts';
import { openAddress, sealAddress } from './address.ts';
import type { Webhook } from './webhook.ts';
import type { WebhookDeps } from './webhook-deps.ts';
import { checkDescription, checkTypes } from './webhook-fields.ts';

/** Omitted members stay as they are. */
export interface WebhookChange {
  projectId: string;
  webhookId: string;
  url?: string;
  eventTypes?: readonly string[] | null;
  description?: string | null;
  enabled?: boolean;
}

/**
 * Changes the address of a webhook, its events, and whether it is enabled. A disabled webhook gets no deliveries. Once
 * enabled again, it gets events that are sealed from then on. Missed events can be replayed.
 *
 * @throws GateError `project_not_found`, `not_found`, `forbidden`, `proof_required`, `invalid_fields`
 */
export async function updateWebhook(
  gate: WebhookDeps,
  caller: Caller,
  change: WebhookChange,
): Promise<Webhook> {
  const { projectId, webhookId } = change;
  assertScope(caller, 'webhooks:write', projectId);
  // Seals all earlier events first, because an enabled webhook gets no event that happened before it was enabled.
  if (change.enabled === true) await gate.ledger.sealNow(projectId);
  return changeProject(gate, caller, projectId, 'webhooks:write', async (at) => {
    const { tx, now } = at;
    const known = await tx.findWebhook(projectId, webhookId);
    if (!known) throw unknownWebhook();
    const addressChanged = change.url !== undefined && change.url !== openAddress(gate, known);
    const webhook: Webhook = {
      ...known,
      ...(change.url !== undefined && addressChanged ? sealAddress(gate, known, change.url) : {}),
      ...(change.eventTypes === undefined ? {} : { eventTypes: checkTypes(change.eventTypes) }),
      ...(change.description === undefined ? {} : { description: checkDescription(change.description) }),
    };
    const settingsChanged =
      addressChanged ||
      webhook.description !== known.description ||
      String(webhook.eventTypes) !== String(known.eventTypes);
    const switched = await toSwitched(at, webhook, change.enabled);
    if (!settingsChanged && !switched) return known;
    const changed = { ...webhook, ...switched, updatedAt: now };
    await tx.updateWebhook(changed);
    if (settingsChanged) {
      await at.record('webhook.updated', {
        webhook_id: webhookId,
        host: changed.host,
        address_changed: addressChanged,
        event_types: changed.eventTypes && [...changed.eventTypes],
      });
    }
    if (switched) {
      await at.record(changed.disabledAt === null ? 'webhook.enabled' : 'webhook.disabled', {
        webhook_id: webhookId,
        host: changed.host,
        ...(changed.disabledReason === null ? {} : { reason: changed.disabledReason }),
      });
    }
    // Earlier failures say nothing about a new address, or about an endpoint that a person has repaired.
    if (addressChanged || (switched && changed.disabledAt === null)) await tx.resetWebhookHealth(webhookId);
    return (await tx.findWebhook(projectId, webhookId)) ?? changed;
  });
}

/** Undefined when nothing changes. */
async function toSwitched(
  { tx, now }: ProjectChange<AuditReader>,
  { projectId, disabledAt }: Webhook,
  enabled: boolean | undefined,
): Promise<
  | Pick<Webhook, 'disabledAt' | 'disabledReason' | 'afterSeq'>
  | Pick<Webhook, 'disabledAt' | 'disabledReason'>
  | undefined
> {
  if (enabled === undefined || enabled === (disabledAt === null)) return undefined;
  if (!enabled) return { disabledAt: now, disabledReason: 'requested' };
  const afterSeq = (await tx.findChainHead(projectId))?.seq ?? 0;
  return { disabledAt: null, disabledReason: null, afterSeq };
}

/** Also deletes the webhook's pending deliveries and its health. @throws GateError `not_found` */
export async function deleteWebhook(
  gate: WebhookDeps,
  caller: Caller,
  { projectId, webhookId }: { projectId: string; webhookId: string },
): Promise<void> {
  await changeProject(gate, caller, projectId, 'webhooks:write', async ({ tx, now, record }) => {
    const known = await tx.findWebhook(projectId, webhookId);
    if (!known || !(await tx.deleteWebhook(webhookId, now))) throw unknownWebhook();
    await record('webhook.deleted', { webhook_id: webhookId, host: known.host });
  });
}
