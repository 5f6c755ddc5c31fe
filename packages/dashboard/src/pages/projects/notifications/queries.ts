import type { ChatHookAnswer, ChatHookView } from '@permitry/protocol/schemas';
import type { Static } from 'typebox';
import { reading } from '../../../api/reading.ts';

export type Hook = Static<typeof ChatHookView>;
export type HookAnswer = Static<typeof ChatHookAnswer>;

export function chatHookPath(projectId: string, rest = ''): string {
  return `/console/projects/${encodeURIComponent(projectId)}/chat-hook${rest}`;
}

export const chatHookQuery = (projectId: string) =>
  reading<HookAnswer>(['projects', projectId, 'chat-hook'], chatHookPath(projectId));
