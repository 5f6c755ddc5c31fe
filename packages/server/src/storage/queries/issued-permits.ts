/** Owns what is issued for an intent: its permits, including earlier ones, and its receipt. */
import type { Resolution } from '../../gate/intents/intent.ts';
import type { IssuedPermit } from '../../gate/tokens/issue-permit.ts';
import { prepare, type QueryRunner } from '../sql/prepared-query.ts';
import { keyOf, receiptIndexOf } from '../sql/row-key.ts';
import { issued, supersededPermits } from '../sql/tables.ts';
import { change, insertInto, updateWhere } from '../sql/write-statements.ts';

const issuedPermit = supersededPermits.pick('id', 'token', 'issuedAt', 'expiresAt');

const findCurrentPermit = prepare((db, $: { intentId: string; id: string }) =>
  db
    .selectFrom('issued')
    .select(['permit_id as id', 'token', 'issued_at', 'expires_at'])
    .where('receipt_index', '=', receiptIndexOf($.intentId))
    .where('permit_id', '=', $.id),
);

const findSupersededPermit = prepare((db, $: { intentId: string; id: string }) =>
  db
    .selectFrom('superseded_permits')
    .select(issuedPermit.columns)
    .where('id', '=', $.id)
    .where('intent_key', '=', keyOf('intents', $.intentId)),
);

const insert = insertInto(issued);

const keepSuperseded = change((db, $: { intentId: string }) =>
  db
    .insertInto('superseded_permits')
    .columns(['id', 'intent_key', 'token', 'issued_at', 'expires_at'])
    .expression(
      db
        .selectFrom('intents')
        .innerJoin('issued', 'issued.receipt_index', 'intents.receipt_index')
        .select(['issued.permit_id', 'intents.seq', 'issued.token', 'issued.issued_at', 'issued.expires_at'])
        .where('intents.id', '=', $.intentId),
    ),
);

const putFreshPermit = updateWhere(
  issued,
  ['permitId', 'token', 'issuedAt', 'expiresAt'],
  (rows, $: { intentId: string }) => rows.where('receipt_index', '=', receiptIndexOf($.intentId)),
);

export async function findIssuedPermit(
  run: QueryRunner,
  intentId: string,
  id: string,
): Promise<IssuedPermit | undefined> {
  const row =
    (await run.first(findCurrentPermit, { intentId, id })) ??
    (await run.first(findSupersededPermit, { intentId, id }));
  return row && issuedPermit.toObject(row);
}

export async function insertIssued(
  run: QueryRunner,
  { permit, receipt, receiptIndex }: NonNullable<Resolution['issued']>,
): Promise<void> {
  await insert(run, { ...permit, permitId: permit.id, receipt: receipt.jws, receiptIndex });
}

/** Replaces the current permit with a fresh one. The old one is kept. */
export async function replaceIssued(run: QueryRunner, intentId: string, permit: IssuedPermit): Promise<void> {
  await keepSuperseded(run, { intentId });
  await putFreshPermit(run, { ...permit, intentId, permitId: permit.id });
}
