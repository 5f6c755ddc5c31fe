import { ChatHookAnswer, type ChatHookView, EmptyBody, SaveChatHook } from '@permitry/protocol/schemas';
import type { Static } from 'typebox';
import {
  findChatHook,
  putChatHook,
  removeChatHook,
  testChatHook,
} from '../../gate/notifications/chat-hook.ts';
import type { ChatHook } from '../../gate/notifications/notification.ts';
import { ItemPath, NoContent } from '../routes/route-schemas.ts';
import type { GateApp } from '../routes/surface.ts';
import type { ConsoleTools } from './console-tools.ts';
import { getPerson } from './get-person.ts';

/** The chat of a project. */
export function chatHookRoutes(app: GateApp, { gate }: ConsoleTools): void {
  app.get(
    '/projects/:id/chat-hook',
    { schema: { params: ItemPath, response: { 200: ChatHookAnswer } } },
    async (request) => {
      const hook = await findChatHook(gate, getPerson(request), request.params.id);
      return { hook: hook ? toWireHook(hook) : null };
    },
  );

  app.put(
    '/projects/:id/chat-hook',
    { schema: { params: ItemPath, body: SaveChatHook, response: { 200: ChatHookAnswer } } },
    async (request) => {
      const { url, kinds, minimum_risk_tier } = request.body;
      const hook = await putChatHook(gate, getPerson(request), {
        projectId: request.params.id,
        ...(url === undefined ? {} : { url }),
        kinds,
        minimumRiskTier: minimum_risk_tier,
      });
      return { hook: toWireHook(hook) };
    },
  );

  app.delete(
    '/projects/:id/chat-hook',
    { schema: { params: ItemPath, response: { 204: NoContent } } },
    (request) => removeChatHook(gate, getPerson(request), request.params.id),
  );

  app.post(
    '/projects/:id/chat-hook/test',
    { schema: { params: ItemPath, body: EmptyBody, response: { 202: EmptyBody } } },
    async (request) => {
      await testChatHook(gate, getPerson(request), request.params.id);
      return {};
    },
  );
}

/** Never contains the address: anyone who has the address can write into the channel. */
function toWireHook(hook: ChatHook): Static<typeof ChatHookView> {
  return {
    host: hook.host,
    hint: hook.hint,
    kinds: [...hook.kinds],
    minimum_risk_tier: hook.minimumRiskTier,
    updated_at: hook.updatedAt,
    last_sent_at: hook.lastSentAt,
    last_error: hook.lastError,
  };
}
