/** The secrets by which receivers know what comes from the gate (Standard Webhooks, symmetric). */

import { addSeconds, type Instant } from '../kernel/instant.ts';
import type { Webhook, WebhookSecret } from './webhook.ts';
import type { WebhookDeps } from './webhook-deps.ts';

/** How long the old one signs beside the new one, unless told. */
export const OVERLAP_SECONDS = 24 * 60 * 60;

/** With the current one. Who rotates more often than old ones end loses the oldest. */
const MOST_SECRETS = 5;

/** A fresh one of 32 bytes: `whsec_` and base64. It is shown once. */
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
 * The new one first; of the others, those that still sign: none of them longer than `overlapSeconds` from now. One
 * that was rotated away before goes on as well: the answer that showed its successor may have been lost.
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

/** Those that sign now, the current one first. One that was sealed under a key that is gone is none. */
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
