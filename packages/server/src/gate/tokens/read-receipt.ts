import type { Receipt, ReceiptContent, RevocationStatus } from '@permitry/protocol';
import type { AgentStatus } from '../access/agent-identity.ts';
import type { Instant } from '../kernel/instant.ts';
import type { Signer } from '../kernel/signer.ts';

type KnowsKeys = Pick<Signer, 'publicKey'>;

/** The members of an intent that make up its receipt. */
interface Approved {
  receipt: ReceiptContent | null;
  revokedAt: Instant | null;
}

/** The current status of the receipt. Revoked beats suspended, and suspended beats active. */
function revocationStatus(intent: Approved, agent: AgentStatus | null, signer: KnowsKeys): RevocationStatus {
  if (intent.revokedAt !== null || agent === 'revoked') return 'revoked';
  // The receipt's key was compromised, and anyone who has that key could have forged the receipt.
  if (intent.receipt && !signer.publicKey(intent.receipt.kid)) return 'revoked';
  return agent === 'paused' ? 'suspended' : 'active';
}

/** The current receipt of an approved intent. Null while there is none. `agent`: the status of the intent's agent. */
export function readReceipt(intent: Approved, agent: AgentStatus | null, signer: KnowsKeys): Receipt | null {
  if (!intent.receipt) return null;
  return { ...intent.receipt, revocation_status: revocationStatus(intent, agent, signer) };
}
