import type { AgentReader } from '../agents/agent.ts';
import type { ErasureReader } from '../erasure/erasure.ts';
import type { IntentReader } from '../intents/intent.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Storage } from '../kernel/storage.ts';
import type { Losses } from '../restore/lost-commits.ts';
import type { ReceiptStatusReader } from '../tokens/receipt-status.ts';
import type { Tokens } from '../tokens/tokens.ts';

/** Dependencies of verifying receipts. */
export interface ReceiptDeps {
  storage: Storage<AgentReader & ErasureReader & IntentReader & ReceiptStatusReader>;
  clock: Clock;
  losses: Losses;
  tokens: Tokens;
}
