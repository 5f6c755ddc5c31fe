import type { Receipt, ReceiptContent, RevocationStatus } from '@permitry/protocol';
import type { AgentStatus } from '../access/agent-identity.ts';
import type { Instant } from '../kernel/instant.ts';
import type { Signer } from '../kernel/signer.ts';

type KnowsKeys = Pick<Signer, 'publicKey'>;

/** Of an intent, what its receipt is read from. */
interface Approved {
  receipt: ReceiptContent | null;
  revokedAt: Instant | null;
}

/** What the receipt is worth now: revoked beats suspended beats active. */
function revocationStatus(intent: Approved, agent: AgentStatus | null, signer: KnowsKeys): RevocationStatus {
  if (intent.revokedAt !== null || agent === 'revoked') return 'revoked';
  // Its key was withdrawn as compromised: whoever has that key could have written one like it.
  if (intent.receipt && !signer.publicKey(intent.receipt.kid)) return 'revoked';
  return agent === 'paused' ? 'suspended' : 'active';
}

/** The receipt of an approved intent as of now; null while there is none. `agent`: the status of the intent's agent. */
export function readReceipt(intent: Approved, agent: AgentStatus | null, signer: KnowsKeys): Receipt | null {
  if (!intent.receipt) return null;
  return { ...intent.receipt, revocation_status: revocationStatus(intent, agent, signer) };
}
