import type { Signer } from '../kernel/signer.ts';
import type { ReceiptIndexes } from './receipt-indexes.ts';
import type { PermitRecogniser } from './recognise.ts';

/** Everything needed to issue and read permits and receipts. */
export interface Tokens {
  /** base_url: the `iss` of tokens and the beginning of approval URLs. No trailing slash. */
  readonly issuer: string;
  readonly signer: Signer;
  readonly receiptIndexes: ReceiptIndexes;
  readonly recogniser: PermitRecogniser;
}
