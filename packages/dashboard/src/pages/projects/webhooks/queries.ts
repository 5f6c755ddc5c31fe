import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { type PageOf, reading, readingPages } from '../../../api/reading.ts';
import type { Wire } from '../../../api/wire.ts';
import { projectPath } from '../project-frame/queries.ts';

export type Webhook = Wire<'WebhookSchema'>;
export type ShownWebhook = Wire<'WebhookWithSecret'>;
export type Delivery = Wire<'WebhookDeliverySchema'>;
export type DeliveryDetail = Wire<'WebhookDeliveryDetail'>;
export type Replay = Wire<'WebhookReplaySchema'>;

export function webhookPath(projectId: string, webhookId?: string, rest = ''): string {
  const one = webhookId === undefined ? '' : `/${encodeURIComponent(webhookId)}`;
  return projectPath(projectId, `/webhooks${one}${rest}`);
}

export function webhooksKey(projectId: string) {
  return ['projects', projectId, 'webhooks'] as const;
}

/** A project has at most twenty. */
export const webhooksQuery = (projectId: string) =>
  reading<PageOf<Webhook>>(webhooksKey(projectId), webhookPath(projectId));

export const webhookQuery = (projectId: string, webhookId: string) =>
  reading<Webhook>([...webhooksKey(projectId), webhookId], webhookPath(projectId, webhookId));

/** The state of a webhook changes without the reader, so poll it, and more often while a delivery is in progress. */
const AGAIN_MS = 5000;
const SOON_MS = 1000;

export const deliveriesQuery = (projectId: string, webhookId: string, state: string) =>
  infiniteQueryOptions({
    ...readingPages<PageOf<Delivery>>(
      [...webhooksKey(projectId), webhookId, 'deliveries', state],
      webhookPath(projectId, webhookId, '/deliveries'),
      { limit: 50, state },
    ),
    refetchInterval: ({ state: { data } }) =>
      data?.pages[0]?.data.some((delivery) => delivery.state === 'waiting' && delivery.attempts === 0)
        ? SOON_MS
        : AGAIN_MS,
  });

export const deliveryQuery = (projectId: string, { webhook_id, id }: Delivery) =>
  queryOptions({
    ...reading<DeliveryDetail>(
      [...webhooksKey(projectId), webhook_id, 'deliveries', 'one', id],
      webhookPath(projectId, webhook_id, `/deliveries/${id}`),
    ),
    refetchInterval: AGAIN_MS,
  });
