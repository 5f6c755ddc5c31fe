import { type ReceiptClaims, type ReceiptContent, signedContent } from '@permitry/protocol';
import type { Intent, Requester } from '../../gate/intents/intent.ts';
import type { IssuedPermit } from '../../gate/tokens/issue-permit.ts';
import { claimsOfStoredJws, fromStoredJws } from '../sql/stored-jws.ts';
import { intents, type Row } from '../sql/tables.ts';

/** An intent's row, joined with its current permit and its receipt. */
export interface IntentRow extends Row<'intents'> {
  permit_token: string | null;
  permit_issued_at: string | null;
  permit_expires_at: string | null;
  receipt: Row<'issued'>['receipt'] | null;
}

export function toIntent(row: IntentRow): Intent {
  // Intents are read by the thousand, so the joined values are added to the object that the table made.
  return Object.assign(intents.toObject(row), {
    requester: toRequester(row),
    permit: toIssuedPermit(row),
    receipt: row.receipt === null ? null : toReceipt(row.receipt),
  });
}

export function toRequester(
  row: Pick<IntentRow, 'requester_type' | 'requester_id' | 'requester_display' | 'requester_owner_id'>,
): Requester {
  return {
    type: row.requester_type,
    id: row.requester_id,
    display: row.requester_display,
    ownerId: row.requester_owner_id,
  };
}

function toIssuedPermit(row: IntentRow): IssuedPermit | null {
  const {
    permit_id: id,
    permit_token: token,
    permit_issued_at: issuedAt,
    permit_expires_at: expiresAt,
  } = row;
  if (id === null || token === null || issuedAt === null || expiresAt === null) return null;
  return { id, token: fromStoredJws(token), issuedAt, expiresAt };
}

function toReceipt(stored: string): ReceiptContent {
  return { ...signedContent(claimsOfStoredJws<ReceiptClaims>(stored)), jws: fromStoredJws(stored) };
}
