/** The secrets that prove to receivers that a message comes from the gate (Standard Webhooks, symmetric). */

import { addSeconds, type Instant } from '../kernel/instant.ts';
import type { Webhook, WebhookSecret } from './webhook.ts';
import type { WebhookDeps } from './webhook-deps.ts';

/** How long the old secret signs beside the new secret by default. */
export const OVERLAP_SECONDS = 24 * 60 * 60;

/** Maximum of secrets, including the current one. A rotation beyond it drops the oldest secret early. */
const MOST_SECRETS = 5;

/** A fresh secret of 32 bytes: `whsec_` and base64. The gate shows it once. */
export function mintSecret(
  gate: Pick<WebhookDeps, 'ids' | 'secretEncryption'>,
  webhook: Pick<Webhook, 'id' | 'projectId'>,
): { text: string; secret: WebhookSecret } {
  const bytes = Buffer.concat(
    [gate.ids.salt(), gate.ids.salt()].map((part) => Buffer.from(part, 'base64url')),
  );
  const text = `whsec_${bytes.toString('base64')}`;
  return { text, secret: { sealed: gate.secretEncryption.encrypt(purposeOf(webhook), text), until: null } };
}

/**
 * The new secret first, then the other secrets that still sign, each for at most `overlapSeconds` from now. Secrets
 * from earlier rotations continue too, because the answer with a later secret may have been lost.
 */
export function withNewSecret(
  secrets: readonly WebhookSecret[],
  fresh: WebhookSecret,
  now: Instant,
  overlapSeconds: number,
): WebhookSecret[] {
  const end = addSeconds(now, overlapSeconds);
  const kept = secrets
    .map(({ sealed, until }) => ({ sealed, until: until === null || until > end ? end : until }))
    .filter(({ until }) => until > now);
  return [fresh, ...kept].slice(0, MOST_SECRETS);
}

/** The secrets that sign now, the current one first. Skips a secret that was sealed under a key that is gone. */
export function openSecrets(
  gate: Pick<WebhookDeps, 'secretEncryption'>,
  webhook: Webhook,
  now: Instant,
): string[] {
  return webhook.secrets
    .filter(({ until }) => until === null || until > now)
    .flatMap(({ sealed }) => gate.secretEncryption.decrypt(purposeOf(webhook), sealed) ?? []);
}

function purposeOf({ id, projectId }: Pick<Webhook, 'id' | 'projectId'>): string {
  return `webhook secret ${projectId} ${id}`;
}
