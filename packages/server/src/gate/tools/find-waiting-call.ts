import { hashJson, type JsonObject } from '@permitry/protocol';
import type { AgentCaller, Caller, SecretCaller } from '../access/caller.ts';
import type { Intent } from '../intents/intent.ts';
import { addSeconds, type Instant } from '../kernel/instant.ts';
import type { ConnectorRequest } from './connector-request.ts';
import { getProgram } from './program.ts';
import type { ToolDeps } from './tool-deps.ts';
import { toolHash } from './tool-hash.ts';

/** People who denied something are not asked the very same again at once. */
const DENIAL_HOLDS_SECONDS = 600;

/**
 * The caller's own call of a tool with exactly these arguments that was asked for and has not been run: whoever repeats
 * it meanwhile means that one, for a client that was sent to its user and comes back has nothing else to name it by.
 * Undefined when there is none, or none that could still be run: then it is a new call. A denial stands for ten minutes.
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
