import { Badge } from '../../../ui/badge.tsx';
import type { Delivery, Webhook } from './queries.ts';
import * as words from './webhooks.words.ts';

export function WebhookState({ webhook }: { webhook: Webhook }) {
  if (!webhook.enabled) return <Badge tone="bad">{words.states.disabled}</Badge>;
  if (webhook.failing_since !== null) return <Badge tone="warn">{words.states.failing}</Badge>;
  return <Badge tone="good">{words.states.enabled}</Badge>;
}

const TONES = { waiting: 'info', delivered: 'good', failed: 'bad' } as const;

export function DeliveryState({ state }: { state: Delivery['state'] }) {
  return <Badge tone={TONES[state]}>{words.deliveryStates[state]}</Badge>;
}
