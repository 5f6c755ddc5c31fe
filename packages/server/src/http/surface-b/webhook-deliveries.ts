import {
  DeliveryStateSchema,
  EmptyBody,
  Page,
  ReplayWebhook,
  StrictObject,
  WebhookDeliveryDetail,
  WebhookDeliverySchema,
  WebhookReplaySchema,
} from '@permitry/protocol/schemas';
import Type from 'typebox';
import { readPayload } from '../../gate/webhooks/payload.ts';
import { getDelivery, listDeliveries } from '../../gate/webhooks/read-webhooks.ts';
import { replayRange } from '../../gate/webhooks/replay-range.ts';
import { replayDelivery, testWebhook } from '../../gate/webhooks/request-deliveries.ts';
import { getCaller } from '../admission/request-context.ts';
import { PAGE_QUERY, toPageRequest, toWirePage } from '../routes/paging.ts';
import { PathId } from '../routes/route-schemas.ts';
import type { GateApp, RouteTools } from '../routes/surface.ts';
import { toWireDelivery, toWireDeliveryDetail, toWireReplay } from './to-wire-webhook.ts';

const WebhookPath = StrictObject({ id: PathId, webhook_id: PathId });
const DeliveryPath = StrictObject({ id: PathId, webhook_id: PathId, delivery_id: PathId });
const tags = ['Surface B: webhooks'];

export function webhookDeliveryRoutes(app: GateApp, tools: RouteTools): void {
  readRoutes(app, tools);
  requestRoutes(app, tools);
}

function readRoutes(app: GateApp, { gate }: RouteTools): void {
  app.get(
    '/projects/:id/webhooks/:webhook_id/deliveries',
    {
      schema: {
        operationId: 'listWebhookDeliveries',
        summary: 'List deliveries, newest first',
        description: 'A delivery is kept for 30 days after it succeeded or failed for good.',
        tags,
        params: WebhookPath,
        querystring: StrictObject({
          ...PAGE_QUERY,
          state: Type.Optional(DeliveryStateSchema),
          replay_id: Type.Optional(Type.String({ maxLength: 64 })),
        }),
        response: { 200: Page(WebhookDeliverySchema) },
      },
    },
    async (request) => {
      const { id: projectId, webhook_id: webhookId } = request.params;
      const { state, replay_id: replayId, ...page } = request.query;
      const deliveries = await listDeliveries(gate, getCaller(request), {
        projectId,
        webhookId,
        ...toPageRequest(page),
        ...(state === undefined ? {} : { state }),
        ...(replayId === undefined ? {} : { replayId }),
      });
      return toWirePage(deliveries, toWireDelivery);
    },
  );

  app.get(
    '/projects/:id/webhooks/:webhook_id/deliveries/:delivery_id',
    {
      schema: {
        operationId: 'readWebhookDelivery',
        summary: 'Read a delivery with its body and its attempts',
        tags,
        params: DeliveryPath,
        response: { 200: WebhookDeliveryDetail },
      },
    },
    async (request) => {
      const delivery = await getDelivery(gate, getCaller(request), toDeliveryInput(request.params));
      return toWireDeliveryDetail(delivery, await readPayload(gate, delivery.projectId, delivery));
    },
  );
}

function requestRoutes(app: GateApp, { gate, once }: RouteTools): void {
  app.post(
    '/projects/:id/webhooks/:webhook_id/deliveries/:delivery_id/replay',
    {
      schema: {
        operationId: 'replayWebhookDelivery',
        summary: 'Replay a delivery that succeeded or failed',
        description:
          'Uses the same `webhook-id`, so that a receiver can recognise it. Returns the new delivery.',
        tags,
        params: DeliveryPath,
        body: EmptyBody,
        response: { 201: WebhookDeliverySchema },
      },
    },
    (request, reply) =>
      once.answer(request, reply, {
        act: (caller, remember) => replayDelivery(gate, caller, toDeliveryInput(request.params), remember),
        toAnswer: (delivery) => ({ status: 201, body: toWireDelivery(delivery) }),
      }),
  );

  app.post(
    '/projects/:id/webhooks/:webhook_id/replay',
    {
      schema: {
        operationId: 'replayWebhook',
        summary: 'Replay events of the log, including those that the webhook missed',
        description:
          'At most 1,000 per request, oldest first; `next_after_seq` says where to continue. To see the progress, list the deliveries of this `replay_id` by state.',
        tags,
        params: WebhookPath,
        body: ReplayWebhook,
        response: { 201: WebhookReplaySchema },
      },
    },
    (request, reply) =>
      once.answer(request, reply, {
        act: (caller, remember) => {
          const { id: projectId, webhook_id: webhookId } = request.params;
          const { after_seq: afterSeq, event_types: eventTypes, ...times } = request.body;
          const range = {
            ...{ projectId, webhookId, ...times },
            ...(afterSeq === undefined ? {} : { afterSeq }),
            ...(eventTypes === undefined ? {} : { eventTypes }),
          };
          return replayRange(gate, caller, range, remember);
        },
        toAnswer: (replay) => ({ status: 201, body: toWireReplay(replay) }),
      }),
  );

  app.post(
    '/projects/:id/webhooks/:webhook_id/test',
    {
      schema: {
        operationId: 'testWebhook',
        summary: 'Send an event of type webhook.test',
        description: 'The event is queued like any other; its delivery shows the result.',
        tags,
        params: WebhookPath,
        body: EmptyBody,
        response: { 201: WebhookDeliverySchema },
      },
    },
    (request, reply) =>
      once.answer(request, reply, {
        act: (caller, remember) => {
          const { id: projectId, webhook_id: webhookId } = request.params;
          return testWebhook(gate, caller, { projectId, webhookId }, remember);
        },
        toAnswer: (delivery) => ({ status: 201, body: toWireDelivery(delivery) }),
      }),
  );
}

function toDeliveryInput(path: { id: string; webhook_id: string; delivery_id: string }) {
  return { projectId: path.id, webhookId: path.webhook_id, deliveryId: path.delivery_id };
}
