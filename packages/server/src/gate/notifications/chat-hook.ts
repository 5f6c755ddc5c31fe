/**
 * The incoming webhook that notifies a project's chat. Its address is a secret: people can set it, and the gate never
 * shows it. The hook gets events as a webhook does, so it requires the same rights and proof of presence.
 */
import type { RiskTier } from '@permitry/protocol';
import { assertScope } from '../access/assert-scope.ts';
import type { Caller } from '../access/caller.ts';
import { GateError } from '../kernel/errors.ts';
import { invalidFields } from '../kernel/invalid-fields.ts';
import { newDelivery } from '../outbox/delivery.ts';
import { changeProject } from '../projects/change-project.ts';
import type { ChatKind } from './kinds.ts';
import type { ChatHook } from './notification.ts';
import type { NotificationDeps } from './notification-deps.ts';

export interface ChatHookSettings {
  projectId: string;
  /** Default: the address stays as it is. */
  url?: string;
  kinds: readonly ChatKind[];
  minimumRiskTier: RiskTier;
}

export async function findChatHook(
  gate: Pick<NotificationDeps, 'storage'>,
  caller: Caller,
  projectId: string,
): Promise<ChatHook | undefined> {
  assertScope(caller, 'webhooks:read', projectId);
  return gate.storage.read.findChatHook(projectId);
}

/** @throws GateError `invalid_fields`, also when no address is set yet; `proof_required` without presence */
export async function putChatHook(
  gate: NotificationDeps,
  caller: Caller,
  settings: ChatHookSettings,
): Promise<ChatHook> {
  const { projectId, url, kinds, minimumRiskTier } = settings;
  return changeProject(gate, caller, projectId, 'webhooks:write', async ({ tx, now, record }) => {
    const problem = url === undefined ? undefined : gate.reach.findTargetProblem(url);
    if (problem !== undefined) throw invalidFields({ path: '/url', message: problem });
    const known = await tx.findChatHook(projectId);
    const address = url === undefined ? known : addressOf(gate, projectId, url);
    if (!address)
      throw invalidFields({ path: '/url', message: 'Is required, because no address is set yet.' });
    const hook: ChatHook = {
      projectId,
      sealed: address.sealed,
      host: address.host,
      hint: address.hint,
      kinds,
      minimumRiskTier,
      updatedAt: now,
      lastSentAt: url === undefined ? (known?.lastSentAt ?? null) : null,
      lastError: url === undefined ? (known?.lastError ?? null) : null,
    };
    await tx.saveChatHook(hook);
    await record('chat_hook.updated', {
      host: hook.host,
      address_changed: url !== undefined,
      kinds: [...kinds],
      minimum_risk_tier: minimumRiskTier,
    });
    return hook;
  });
}

/** Also deletes the hook's pending deliveries. @throws GateError `not_found` */
export async function removeChatHook(
  gate: NotificationDeps,
  caller: Caller,
  projectId: string,
): Promise<void> {
  await changeProject(gate, caller, projectId, 'webhooks:write', async ({ tx, record }) => {
    const known = await tx.findChatHook(projectId);
    if (!known) throw noHook();
    await tx.deleteChatHook(projectId);
    await record('chat_hook.removed', { host: known.host });
  });
}

/** Queues a test message. The hook's `lastError` shows the result afterwards. @throws GateError `not_found` */
export async function testChatHook(gate: NotificationDeps, caller: Caller, projectId: string): Promise<void> {
  assertScope(caller, 'webhooks:replay', projectId);
  await gate.storage.transaction(async (tx) => {
    if (!(await tx.findChatHook(projectId))) throw noHook();
    const causeId = gate.ids.next('ntc');
    const test = { kind: 'test', causeId, channel: 'chat', target: projectId, projectId } as const;
    await tx.insertDelivery(newDelivery(gate, test));
  });
}

/** Undefined when the address was sealed under a key that is gone. */
export function openHookAddress(
  gate: Pick<NotificationDeps, 'secretEncryption'>,
  { projectId, sealed }: ChatHook,
): string | undefined {
  return gate.secretEncryption.decrypt(purposeOf(projectId), sealed);
}

function addressOf(
  gate: Pick<NotificationDeps, 'secretEncryption'>,
  projectId: string,
  url: string,
): Pick<ChatHook, 'sealed' | 'host' | 'hint'> {
  return {
    sealed: gate.secretEncryption.encrypt(purposeOf(projectId), url),
    host: new URL(url).host,
    hint: url.slice(-4),
  };
}

function purposeOf(projectId: string): string {
  return `chat hook ${projectId}`;
}

function noHook(): GateError<'not_found'> {
  return new GateError('not_found', 'This project has no chat hook.', {});
}
