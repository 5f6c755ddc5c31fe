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

/** A secret is shown once: a repetition is answered without it. */
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
        summary: 'Have events of a project sent to an address, signed with a secret that is shown once',
        description:
          'Everything that happens from then on and is wanted is sent there at least once, by the Standard Webhooks specification. In live mode this takes a person who is present at a browser. A repetition under the same `Idempotency-Key` does not show the secret again.',
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
        summary: 'List webhooks, newest first; never their secrets',
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
        summary: 'Change where events are sent, which, and whether',
        description:
          'What is left out stays. While it is disabled nothing is kept for it, and what waited is given up. In live mode this takes a person who is present at a browser.',
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
        summary: 'Delete a webhook, with what waits for it and what is known of it',
        description: 'In live mode this takes a person who is present at a browser.',
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
        summary: 'Make a new secret, shown once; the old one signs beside it for a while',
        description:
          'With `overlap_seconds: 0` older secrets end at once. Rotated again before they ended, they go on all the same: an answer that was lost locks nobody out. In live mode this takes a person who is present at a browser.',
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
        summary: 'End older secrets at once; only the current one signs from then on',
        description: 'In live mode this takes a person who is present at a browser.',
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
