import type { IntentDeps } from '../intents/intent-deps.ts';
import type { Losses } from '../restore/lost-commits.ts';
import type { ReceiptStatusWriter } from '../tokens/receipt-status.ts';

/** What operations on permits take: `Reads` and `Writes` beside the permits’ own. */
export type PermitDeps<Reads = unknown, Writes = unknown> = IntentDeps<Reads, ReceiptStatusWriter & Writes>;

/** What a permit is verified with: never while commits are lost. */
export interface VerificationDeps extends PermitDeps {
  losses: Losses;
}
