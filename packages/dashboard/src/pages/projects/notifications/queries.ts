import { reading } from '../../../api/reading.ts';
import type { Wire } from '../../../api/wire.ts';

export type Hook = Wire<'ChatHookView'>;
export type HookAnswer = Wire<'ChatHookAnswer'>;

export function chatHookPath(projectId: string, rest = ''): string {
  return `/console/projects/${encodeURIComponent(projectId)}/chat-hook${rest}`;
}

export const chatHookQuery = (projectId: string) =>
  reading<HookAnswer>(['projects', projectId, 'chat-hook'], chatHookPath(projectId));
