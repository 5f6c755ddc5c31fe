import { hashJson, type JsonObject } from '@permitry/protocol';
import type { AgentCaller, Caller, SecretCaller } from '../access/caller.ts';
import type { Intent } from '../intents/intent.ts';
import { addSeconds, type Instant } from '../kernel/instant.ts';
import type { ConnectorRequest } from './connector-request.ts';
import { getProgram } from './program.ts';
import type { ToolDeps } from './tool-deps.ts';
import { toolHash } from './tool-hash.ts';

/** For this long, people who denied a call are not asked about the same call again. */
const DENIAL_HOLDS_SECONDS = 600;

/**
 * Finds the caller's own earlier request for this tool with exactly these arguments that has not been run. A repeated
 * call refers to that request: a client that sent its user to the page has no other way to name it. Undefined if no
 * such request could still be run. The call is then new. A denied request counts for ten minutes.
 */
export async function findWaitingCall(
  gate: ToolDeps,
  caller: Caller,
  call: { tool: string; arguments: JsonObject },
): Promise<ConnectorRequest | undefined> {
  const program = getProgram(caller);
  const request = await gate.storage.read.findWaitingConnectorRequest(
    program.credentialId,
    call.tool,
    hashJson(call.arguments),
  );
  if (!request || !(await isOfTodaysTool(gate, program, request))) return undefined;
  const intent = await gate.storage.read.findIntent(request.intentId);
  return intent && stands(intent, gate.clock.now()) ? request : undefined;
}

async function isOfTodaysTool(
  gate: Pick<ToolDeps, 'clock' | 'tools'>,
  { projectId }: AgentCaller | SecretCaller,
  request: ConnectorRequest,
): Promise<boolean> {
  const tool = await gate.tools.connectors.find(projectId, request.toolName);
  return tool !== undefined && toolHash(tool) === request.toolHash;
}

function stands(intent: Intent, now: Instant): boolean {
  switch (intent.status) {
    case 'pending':
      return now < intent.expiresAt;
    case 'approved':
      return now < intent.expiresAt && intent.consumedAt === null && intent.revokedAt === null;
    case 'denied':
      return (
        intent.reason !== 'withdrawn' && now < addSeconds(intent.resolvedAt ?? now, DENIAL_HOLDS_SECONDS)
      );
    case 'expired':
      return false;
  }
}
