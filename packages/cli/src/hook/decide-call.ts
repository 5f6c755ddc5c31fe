import { randomUUID } from 'node:crypto';
import type { JsonValue } from '@permitry/protocol';
import type { Permitry, UsedPermit } from '@permitry/sdk';
import type { CallNotes } from './call-notes.ts';
import type { HookEvent } from './hook-event.ts';

export interface DecideOptions {
  action: string;
  waitMs: number;
  notes: CallNotes;
}

/** The result, with a sentence for the model if the tool may not run. */
export type CallDecision = { isAllowed: true; permit: UsedPermit } | { isAllowed: false; reason: string };

/**
 * Requests a decision about one call, and uses its permit. If a call was not decided in time, the next call with the
 * same session, tool and input continues the same request. So nobody is asked twice.
 *
 * @throws ConnectionError, PermitryError
 */
export async function decideCall(
  client: Permitry,
  event: HookEvent,
  { action, waitMs, notes }: DecideOptions,
): Promise<CallDecision> {
  const { sessionId, toolInput, cwd = null, permissionMode = null } = event;
  // Everything that approvers see: in another folder the same command is another request.
  const about: JsonValue = ['pending', client.baseUrl, sessionId, action, toolInput, cwd, permissionMode];
  const idempotencyKey = notes.read(about) ?? randomUUID();
  notes.keep(about, idempotencyKey);
  try {
    const permit = await takePermit(client, event, { action, waitMs, idempotencyKey });
    notes.drop(about);
    notes.keep(nameOf(client, event), permit.intent_id);
    return { isAllowed: true, permit };
  } catch (error) {
    const { DeniedError, PermitryError, WaitTimeoutError } = await import('@permitry/sdk');
    if (error instanceof WaitTimeoutError) {
      const { approval_url } = error.intent;
      const reason = `${action} was not run: nobody has decided yet. A person can decide at ${approval_url}. Once they have, call the tool again with the same input. Until then, continue with something else.`;
      return { isAllowed: false, reason };
    }
    if (error instanceof DeniedError || error instanceof PermitryError) notes.drop(about);
    if (error instanceof DeniedError) return { isAllowed: false, reason: error.message };
    throw error;
  }
}

/** The name under which the end of a call finds its intent. */
export function nameOf({ baseUrl }: Permitry, { sessionId, toolUseId }: HookEvent): JsonValue {
  return ['used', baseUrl, sessionId, toolUseId ?? ''];
}

/** The tool may run after this resolves. Another process learns the outcome and reports it. */
async function takePermit(
  client: Permitry,
  { sessionId, toolInput, cwd, permissionMode }: HookEvent,
  { action, waitMs, idempotencyKey }: { action: string; waitMs: number; idempotencyKey: string },
): Promise<UsedPermit> {
  const { declare, untilApproved, usePermit } = await import('@permitry/sdk/steps');
  const metadata = {
    session_id: sessionId,
    ...(cwd === undefined ? {} : { cwd }),
    ...(permissionMode === undefined ? {} : { permission_mode: permissionMode }),
  };
  const input = { action, params: toolInput, source_type: 'ai_agent' as const, metadata };
  const declared = await declare(client, input, { idempotencyKey });
  const approved = await untilApproved(client, declared, { waitMs, onGivingUp: 'leave' });
  return usePermit(client, approved, toolInput);
}
