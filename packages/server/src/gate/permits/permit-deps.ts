import type { IntentDeps } from '../intents/intent-deps.ts';
import type { Losses } from '../restore/lost-commits.ts';
import type { ReceiptStatusWriter } from '../tokens/receipt-status.ts';

/** Dependencies of the operations on permits. `Reads` and `Writes` are added to the built-in ones. */
export type PermitDeps<Reads = unknown, Writes = unknown> = IntentDeps<Reads, ReceiptStatusWriter & Writes>;

/** Dependencies of verifying a permit. Verification is refused once the database has lost commits. */
export interface VerificationDeps extends PermitDeps {
  losses: Losses;
}
