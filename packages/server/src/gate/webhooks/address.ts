/**
 * A webhook's address. It is checked when it is set, stored sealed, and shown only to people who may manage webhooks.
 */

import { invalidFields } from '../kernel/invalid-fields.ts';
import type { Webhook } from './webhook.ts';
import type { WebhookDeps } from './webhook-deps.ts';

const MOST_CHARACTERS = 2048;

/** @throws GateError `invalid_fields` */
export function sealAddress(
  gate: Pick<WebhookDeps, 'reach' | 'secretEncryption'>,
  webhook: Pick<Webhook, 'id' | 'projectId'>,
  url: string,
): Pick<Webhook, 'sealedUrl' | 'host'> {
  const problem =
    url.length > MOST_CHARACTERS
      ? `Must be at most ${MOST_CHARACTERS} characters.`
      : gate.reach.findTargetProblem(url);
  if (problem !== undefined) throw invalidFields({ path: '/url', message: problem });
  return { sealedUrl: gate.secretEncryption.encrypt(purposeOf(webhook), url), host: new URL(url).host };
}

/** Undefined when the address was sealed under a key that is gone. */
export function openAddress(
  gate: Pick<WebhookDeps, 'secretEncryption'>,
  webhook: Webhook,
): string | undefined {
  return gate.secretEncryption.decrypt(purposeOf(webhook), webhook.sealedUrl);
}

/**
 * Includes the project, so that an address cannot be opened after its row was moved to another project in the database.
 */
function purposeOf({ id, projectId }: Pick<Webhook, 'id' | 'projectId'>): string {
  return `webhook url ${projectId} ${id}`;
}
