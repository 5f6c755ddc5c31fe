import { Badge } from '../../../ui/badge.tsx';
import type { Delivery, Webhook } from './queries.ts';

export function WebhookState({ webhook }: { webhook: Webhook }) {
  if (!webhook.enabled) return <Badge tone="bad">disabled</Badge>;
  if (webhook.failing_since !== null) return <Badge tone="warn">failing</Badge>;
  return <Badge tone="good">enabled</Badge>;
}

const TONES = { waiting: 'info', delivered: 'good', failed: 'bad' } as const;

export function DeliveryState({ state }: { state: Delivery['state'] }) {
  return <Badge tone={TONES[state]}>{state}</Badge>;
}
