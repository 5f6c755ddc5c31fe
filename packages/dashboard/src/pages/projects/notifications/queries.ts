import type { ChatHookAnswer, ChatHookView } from '@permitry/protocol/schemas';
import { queryOptions } from '@tanstack/react-query';
import type { Static } from 'typebox';
import { api } from '../../../api/client.ts';

export type Hook = Static<typeof ChatHookView>;
export type HookAnswer = Static<typeof ChatHookAnswer>;

export function chatHookPath(projectId: string, rest = ''): string {
  return `/console/projects/${encodeURIComponent(projectId)}/chat-hook${rest}`;
}

export function chatHookQuery(projectId: string) {
  return queryOptions({
    queryKey: ['projects', projectId, 'chat-hook'],
    queryFn: ({ signal }) => api.get<HookAnswer>(chatHookPath(projectId), { signal }),
  });
}
