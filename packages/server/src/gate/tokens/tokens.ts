import type { Signer } from '../kernel/signer.ts';
import type { ReceiptIndexes } from './receipt-indexes.ts';
import type { PermitRecogniser } from './recognise.ts';

/** What permits and receipts are issued and read with. */
export interface Tokens {
  /** base_url: `iss` of tokens and the stem of approval URLs; no trailing slash. */
  readonly issuer: string;
  readonly signer: Signer;
  readonly receiptIndexes: ReceiptIndexes;
  readonly recogniser: PermitRecogniser;
}
