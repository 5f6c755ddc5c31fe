import type { Caller } from '../access/caller.ts';
import type { Remember } from '../kernel/idempotency.ts';
import { unknownWebhook } from '../kernel/not-found.ts';
import { changeProject } from '../projects/change-project.ts';
import { mintSecret, OVERLAP_SECONDS, withNewSecret } from './secrets.ts';
import type { Webhook } from './webhook.ts';
import type { WebhookDeps } from './webhook-deps.ts';

interface Named {
  projectId: string;
  webhookId: string;
}

/**
 * Creates a secret, which cannot be shown again. Older secrets also sign for `overlapSeconds`, but never longer than
 * before. With 0 they end immediately.
 *
 * @throws GateError `project_not_found`, `not_found`, `forbidden`, `proof_required`
 */
export function rotateWebhookSecret(
  gate: WebhookDeps,
  caller: Caller,
  { projectId, webhookId, overlapSeconds = OVERLAP_SECONDS }: Named & { overlapSeconds?: number },
  remember?: Remember<{ webhook: Webhook; secret: string }>,
): Promise<{ webhook: Webhook; secret: string }> {
  return changeProject(
    gate,
    caller,
    projectId,
    'webhooks:write',
    async ({ tx, now, record }) => {
      const known = await tx.findWebhook(projectId, webhookId);
      if (!known) throw unknownWebhook();
      const { text, secret } = mintSecret(gate, known);
      const secrets = withNewSecret(known.secrets, secret, now, overlapSeconds);
      const webhook = { ...known, secrets, updatedAt: now };
      await tx.updateWebhook(webhook);
      await record('webhook.secret_rotated', { webhook_id: webhookId, overlap_seconds: overlapSeconds });
      return { webhook, secret: text };
    },
    remember,
  );
}

/** From now on, only the current secret signs. @throws GateError as `rotateWebhookSecret` */
export function dropPreviousSecrets(
  gate: WebhookDeps,
  caller: Caller,
  { projectId, webhookId }: Named,
): Promise<Webhook> {
  return changeProject(gate, caller, projectId, 'webhooks:write', async ({ tx, now, record }) => {
    const known = await tx.findWebhook(projectId, webhookId);
    if (!known) throw unknownWebhook();
    if (known.secrets.length < 2) return known;
    const webhook = { ...known, secrets: known.secrets.slice(0, 1), updatedAt: now };
    await tx.updateWebhook(webhook);
    await record('webhook.secret_dropped', { webhook_id: webhookId });
    return webhook;
  });
}
