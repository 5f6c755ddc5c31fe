/** Finds the content of a queued notification at the moment of its delivery, if there is still anything to say. */
import type { JsonObject } from '@permitry/protocol';
import type { Agent } from '../agents/agent.ts';
import type { Intent } from '../intents/intent.ts';
import { GateError } from '../kernel/errors.ts';
import type { Instant } from '../kernel/instant.ts';
import type { ProjectSettings } from '../project-settings/project-settings.ts';
import type { Webhook } from '../webhooks/webhook.ts';
import { findAgentOfNotice } from './agent-notices.ts';
import type { NotificationKind } from './kinds.ts';
import type { Notification } from './notification.ts';
import type { NotificationDeps } from './notification-deps.ts';
import { type Preferences, preferencesFrom, wants } from './preferences.ts';
import { findProposalOfNotice, type ProposalOfNotice } from './proposal-notices.ts';
import { endOfQuietHours } from './quiet-hours.ts';
import { findWaiting } from './to-notices.ts';
import { findWebhookOfNotice } from './webhook-notices.ts';
import { isAsked } from './who-is-asked.ts';

/** The content of a message, ready to be put into words. */
export type Telling =
  | {
      kind: Exclude<
        NotificationKind,
        'security' | 'test' | 'proposed' | 'proposal_ended' | 'webhook_disabled' | 'agent_owner_left'
      >;
      position: number;
      project: ProjectOfNotice;
      intent: Intent;
    }
  | ({
      kind: 'proposed' | 'proposal_ended';
      position: number;
      project: ProjectOfNotice;
    } & ProposalOfNotice)
  | {
      kind: 'webhook_disabled';
      position: number;
      project: ProjectOfNotice;
      webhook: Webhook;
    }
  | {
      kind: 'agent_owner_left';
      position: number;
      project: ProjectOfNotice;
      agent: Agent;
    }
  | {
      kind: 'security' | 'test';
      position: number;
      project: ProjectOfNotice | null;
      detail: JsonObject;
      at: Instant;
    };

export interface ProjectOfNotice {
  id: string;
  name: string;
  mode: 'test' | 'live';
}

/** `later`: the person has quiet hours now. */
export type Due = { kind: 'now'; telling: Telling } | { kind: 'later'; at: Instant } | { kind: 'dropped' };

const DROPPED: Due = { kind: 'dropped' };

/**
 * Checks everything again. The person may have left, decided, or changed their preferences. The intent may be decided
 * or erased, or its project stopped.
 */
export async function toDue(gate: NotificationDeps, queued: Notification): Promise<Due> {
  const { userId, projectId } = queued;
  const settings = projectId === null ? null : await findSettings(gate, projectId);
  if (settings === undefined) return DROPPED;
  if (userId !== null && settings && !settings.people.member(userId)) return DROPPED;
  const telling = await toTelling(gate, queued, settings);
  if (!telling) return DROPPED;
  if (userId === null || queued.channel === 'chat') return { kind: 'now', telling };
  const preferences = preferencesFrom(await gate.storage.read.findPreferences(userId));
  const riskTier = 'intent' in telling ? telling.intent.riskTier : null;
  if (!wants(preferences, { kind: queued.kind, projectId, riskTier }, queued.channel)) return DROPPED;
  const quietUntil = quietTime(gate, preferences, queued.kind);
  return quietUntil === null ? { kind: 'now', telling } : { kind: 'later', at: quietUntil };
}

function quietTime(
  gate: Pick<NotificationDeps, 'clock'>,
  { quietHours }: Preferences,
  kind: NotificationKind,
): Instant | null {
  if (quietHours === null || kind === 'security' || kind === 'test') return null;
  return endOfQuietHours(quietHours, gate.clock.now());
}

async function toTelling(
  gate: NotificationDeps,
  { kind, position, intentId, userId, detail, createdAt }: Notification,
  settings: ProjectSettings | null,
): Promise<Telling | undefined> {
  const project = settings && { id: settings.projectId, name: settings.name, mode: settings.mode };
  if (kind === 'security' || kind === 'test') return { kind, position, project, detail, at: createdAt };
  if (kind === 'proposed' || kind === 'proposal_ended') {
    const proposalId = typeof detail.proposal_id === 'string' ? detail.proposal_id : undefined;
    const found =
      project && (await findProposalOfNotice(gate, kind, { projectId: project.id, proposalId, userId }));
    return found ? { kind, position, project, ...found } : undefined;
  }
  if (kind === 'webhook_disabled') {
    const webhook = project && (await findWebhookOfNotice(gate, { projectId: project.id, userId, detail }));
    return webhook ? { kind, position, project, webhook } : undefined;
  }
  if (kind === 'agent_owner_left') {
    const agent = project && (await findAgentOfNotice(gate, { projectId: project.id, userId, detail }));
    return agent ? { kind, position, project, agent } : undefined;
  }
  const intent = intentId === null ? undefined : await gate.storage.read.findIntent(intentId);
  if (!intent || intent.erasedAt !== null || !project) return undefined;
  if (kind === 'more_time' && intent.status !== 'pending') return undefined;
  if (kind === 'waiting' || kind === 'reminder') {
    const waiting = await findWaiting(gate, intent);
    if (!waiting || (userId !== null && !isAsked(waiting, userId))) return undefined;
  }
  return { kind, position, project, intent };
}

/** Undefined for a project that no longer exists. */
async function findSettings(
  gate: Pick<NotificationDeps, 'projectSettings'>,
  projectId: string,
): Promise<ProjectSettings | undefined> {
  try {
    return await gate.projectSettings.current(projectId);
  } catch (error) {
    if (error instanceof GateError && error.code === 'project_not_found') return undefined;
    throw error;
  }
}
