import type { JsonObject } from '@permitry/protocol';
import {
  CreateWebhook,
  Page,
  RotateWebhookSecret,
  StrictObject,
  UpdateWebhook,
  WebhookSchema,
  WebhookWithSecret,
} from '@permitry/protocol/schemas';
import type { Static } from 'typebox';
import { onlyGiven } from '../../gate/kernel/only-given.ts';
import { createWebhook } from '../../gate/webhooks/create-webhook.ts';
import { getWebhook, listWebhooks } from '../../gate/webhooks/read-webhooks.ts';
import { dropPreviousSecrets, rotateWebhookSecret } from '../../gate/webhooks/rotate-secret.ts';
import { deleteWebhook, updateWebhook } from '../../gate/webhooks/update-webhook.ts';
import { getCaller } from '../admission/request-context.ts';
import { PAGE_QUERY, toPageRequest, toWirePage } from '../routes/paging.ts';
import { ItemPath, NoContent, PathId } from '../routes/route-schemas.ts';
import type { GateApp, RouteTools } from '../routes/surface.ts';
import { toWireWebhook } from './to-wire-webhook.ts';

const WebhookPath = StrictObject({ id: PathId, webhook_id: PathId });
const tags = ['Surface B: webhooks'];

/** A secret is shown once: a repeated request is answered without it. */
const strip = ({ secret: _shownOnce, ...kept }: JsonObject): JsonObject => kept;

export function webhookRoutes(app: GateApp, tools: RouteTools): void {
  createRoute(app, tools);
  readRoutes(app, tools);
  changeRoutes(app, tools);
  secretRoutes(app, tools);
}

function createRoute(app: GateApp, { gate, once }: RouteTools): void {
  app.post(
    '/projects/:id/webhooks',
    {
      schema: {
        operationId: 'createWebhook',
        summary: 'Create a webhook with a signing secret that is shown once',
        description:
          'Every selected event from then on is sent to the URL at least once, by the Standard Webhooks specification. In live mode this needs a person who is present in a browser. A repetition with the same `Idempotency-Key` does not show the secret again.',
        tags,
        params: ItemPath,
        body: CreateWebhook,
        response: { 201: WebhookWithSecret },
      },
    },
    (request, reply) =>
      once.answer(request, reply, {
        act: (caller, remember) => {
          const { url, event_types: eventTypes, description } = request.body;
          const wanted = {
            projectId: request.params.id,
            url,
            ...onlyGiven({ eventTypes, description }),
          };
          return createWebhook(gate, caller, wanted, remember);
        },
        toAnswer: ({ webhook, secret }) => ({
          status: 201,
          body: { ...toWireWebhook(gate, webhook), secret },
        }),
        strip,
      }),
  );
}

function readRoutes(app: GateApp, { gate }: RouteTools): void {
  app.get(
    '/projects/:id/webhooks',
    {
      schema: {
        operationId: 'listWebhooks',
        summary: 'List webhooks, newest first, without their secrets',
        tags,
        params: ItemPath,
        querystring: StrictObject(PAGE_QUERY),
        response: { 200: Page(WebhookSchema) },
      },
    },
    async (request) => {
      const input = { projectId: request.params.id, ...toPageRequest(request.query) };
      const page = await listWebhooks(gate, getCaller(request), input);
      return toWirePage(page, (webhook) => toWireWebhook(gate, webhook));
    },
  );

  app.get(
    '/projects/:id/webhooks/:webhook_id',
    {
      schema: {
        operationId: 'readWebhook',
        summary: 'Read a webhook',
        tags,
        params: WebhookPath,
        response: { 200: WebhookSchema },
      },
    },
    async (request) =>
      toWireWebhook(gate, await getWebhook(gate, getCaller(request), toInput(request.params))),
  );
}

function changeRoutes(app: GateApp, { gate }: RouteTools): void {
  app.patch(
    '/projects/:id/webhooks/:webhook_id',
    {
      schema: {
        operationId: 'updateWebhook',
        summary: 'Change a webhook’s URL or events, or disable or enable it',
        description:
          'Properties that are left out do not change. Disabling a webhook gives up its queued deliveries, and nothing is queued while it is disabled. In live mode this needs a person who is present in a browser.',
        tags,
        params: WebhookPath,
        body: UpdateWebhook,
        response: { 200: WebhookSchema },
      },
    },
    async (request) => {
      const { url, event_types: eventTypes, description, enabled } = request.body;
      const webhook = await updateWebhook(gate, getCaller(request), {
        ...toInput(request.params),
        ...onlyGiven({ url, eventTypes, description, enabled }),
      });
      return toWireWebhook(gate, webhook);
    },
  );

  app.delete(
    '/projects/:id/webhooks/:webhook_id',
    {
      schema: {
        operationId: 'deleteWebhook',
        summary: 'Delete a webhook with its queued and past deliveries',
        description: 'In live mode this needs a person who is present in a browser.',
        tags,
        params: WebhookPath,
        response: { 204: NoContent },
      },
    },
    (request) => deleteWebhook(gate, getCaller(request), toInput(request.params)),
  );
}

function secretRoutes(app: GateApp, { gate, once }: RouteTools): void {
  app.post(
    '/projects/:id/webhooks/:webhook_id/rotate-secret',
    {
      schema: {
        operationId: 'rotateWebhookSecret',
        summary: 'Create a new secret, which is shown once; the old one also signs for a while',
        description:
          'With `overlap_seconds: 0` older secrets end at once. Rotating again before they have ended does not end them early, so a lost answer locks nobody out. In live mode this needs a person who is present in a browser.',
        tags,
        params: WebhookPath,
        body: RotateWebhookSecret,
        response: { 200: WebhookWithSecret },
      },
    },
    (request, reply) =>
      once.answer(request, reply, {
        act: (caller, remember) => {
          const overlap = onlyGiven({ overlapSeconds: request.body.overlap_seconds });
          return rotateWebhookSecret(gate, caller, { ...toInput(request.params), ...overlap }, remember);
        },
        toAnswer: ({ webhook, secret }) => ({
          status: 200,
          body: { ...toWireWebhook(gate, webhook), secret },
        }),
        strip,
      }),
  );

  app.delete(
    '/projects/:id/webhooks/:webhook_id/previous-secrets',
    {
      schema: {
        operationId: 'dropPreviousWebhookSecrets',
        summary: 'End older secrets at once, so that only the current one signs',
        description: 'In live mode this needs a person who is present in a browser.',
        tags,
        params: WebhookPath,
        response: { 200: WebhookSchema },
      },
    },
    async (request) => {
      const webhook = await dropPreviousSecrets(gate, getCaller(request), toInput(request.params));
      return toWireWebhook(gate, webhook);
    },
  );
}

function toInput({ id, webhook_id }: Static<typeof WebhookPath>) {
  return { projectId: id, webhookId: webhook_id };
}
