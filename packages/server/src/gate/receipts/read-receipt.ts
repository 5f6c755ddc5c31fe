import type { Receipt, RevocationStatus } from '@permitry/protocol';
import type { AgentStatus } from '../agents/agent.ts';
import type { Intent } from '../intents/intent.ts';

/** What the approval is worth now: revoked beats suspended beats active. */
function revocationStatus(intent: Intent, agent: AgentStatus | null): RevocationStatus {
  if (intent.revokedAt !== null || agent === 'revoked') return 'revoked';
  return agent === 'paused' ? 'suspended' : 'active';
}

/** The receipt of an approved intent as of now; null while there is none. `agent`: the status of the intent's agent. */
export function readReceipt(intent: Intent, agent: AgentStatus | null): Receipt | null {
  if (!intent.receipt) return null;
  return { ...intent.receipt, revocation_status: revocationStatus(intent, agent) };
}
