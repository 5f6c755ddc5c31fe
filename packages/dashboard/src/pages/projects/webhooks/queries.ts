import type {
  WebhookDeliveryDetail,
  WebhookDeliverySchema,
  WebhookReplaySchema,
  WebhookSchema,
  WebhookWithSecret,
} from '@permitry/protocol/schemas';
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { Static } from 'typebox';
import { api } from '../../../api/client.ts';
import { projectPath } from '../project-frame/queries.ts';
import type { PageOf } from '../project-frame/wire.ts';

export type Webhook = Static<typeof WebhookSchema>;
export type ShownWebhook = Static<typeof WebhookWithSecret>;
export type Delivery = Static<typeof WebhookDeliverySchema>;
export type DeliveryDetail = Static<typeof WebhookDeliveryDetail>;
export type Replay = Static<typeof WebhookReplaySchema>;

export function webhookPath(projectId: string, webhookId?: string, rest = ''): string {
  const one = webhookId === undefined ? '' : `/${encodeURIComponent(webhookId)}`;
  return projectPath(projectId, `/webhooks${one}${rest}`);
}

export function webhooksKey(projectId: string) {
  return ['projects', projectId, 'webhooks'] as const;
}

/** A project has twenty at most. */
export const webhooksQuery = (projectId: string) =>
  queryOptions({
    queryKey: webhooksKey(projectId),
    queryFn: ({ signal }) => api.get<PageOf<Webhook>>(webhookPath(projectId), { signal }),
  });

export const webhookQuery = (projectId: string, webhookId: string) =>
  queryOptions({
    queryKey: [...webhooksKey(projectId), webhookId],
    queryFn: ({ signal }) => api.get<Webhook>(webhookPath(projectId, webhookId), { signal }),
  });

/** How things go there changes by itself: looked at again now and then, and sooner while something is on its way. */
const AGAIN_MS = 5000;
const SOON_MS = 1000;

export const deliveriesQuery = (projectId: string, webhookId: string, ofState: string) =>
  infiniteQueryOptions({
    queryKey: [...webhooksKey(projectId), webhookId, 'deliveries', ofState],
    queryFn: ({ pageParam, signal }) =>
      api.get<PageOf<Delivery>>(webhookPath(projectId, webhookId, '/deliveries'), {
        query: { limit: 50, cursor: pageParam, ...(ofState !== '' && { state: ofState }) },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
    refetchInterval: ({ state: { data } }) =>
      data?.pages[0]?.data.some(({ state, attempts }) => state === 'waiting' && attempts === 0)
        ? SOON_MS
        : AGAIN_MS,
  });

export const deliveryQuery = (projectId: string, { webhook_id, id }: Delivery) =>
  queryOptions({
    queryKey: [...webhooksKey(projectId), webhook_id, 'deliveries', 'one', id],
    queryFn: ({ signal }) =>
      api.get<DeliveryDetail>(webhookPath(projectId, webhook_id, `/deliveries/${id}`), { signal }),
    refetchInterval: AGAIN_MS,
  });
