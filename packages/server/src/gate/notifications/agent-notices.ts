/**
 * Finds the people to notify that an agent's keys end because its owner left. They are notified when the owner leaves,
 * and a day before the keys end.
 */
import type { JsonObject } from '@permitry/protocol';
import type { Agent } from '../agents/agent.ts';
import type { SealedEvent } from '../audit/audit-event.ts';
import { findManagers } from './find-managers.ts';
import type { Notice } from './notice.ts';
import type { NotificationDeps } from './notification-deps.ts';

export async function toAgentNotices(
  gate: Pick<NotificationDeps, 'storage'>,
  { id: causeId, projectId, data }: SealedEvent,
): Promise<Notice[]> {
  const { agent_id: agentId } = data;
  if (typeof agentId !== 'string') return [];
  const userIds = await findManagers(gate, projectId);
  const about = { intentId: null, riskTier: null, detail: { agent_id: agentId } };
  return [{ causeId, kind: 'agent_owner_left', projectId, ...about, userIds, forChat: false }];
}

/**
 * The agent, checked again when the notice is sent. Undefined once another person took the agent over, or the agent was
 * revoked.
 */
export async function findAgentOfNotice(
  gate: Pick<NotificationDeps, 'storage'>,
  { projectId, userId, detail }: { projectId: string; userId: string | null; detail: JsonObject },
): Promise<Agent | undefined> {
  const { agent_id: agentId } = detail;
  if (typeof agentId !== 'string' || userId === null) return undefined;
  const agent = await gate.storage.read.findAgent(projectId, agentId);
  if (!agent || agent.ownerLeftAt === null || agent.status === 'revoked') return undefined;
  return (await findManagers(gate, projectId)).includes(userId) ? agent : undefined;
}
