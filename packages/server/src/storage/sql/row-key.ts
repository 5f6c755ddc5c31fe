import { type Expression, expressionBuilder } from 'kysely';
import type { Database } from './tables.ts';

/** Tables whose rows others refer to by number. */
type Numbered = 'projects' | 'agents' | 'intents';

/**
 * The number (`seq`) of the row with this id, looked up by the database. Null without an id. Indexes that grow with
 * every intent hold these numbers, because their entries are a quarter as long as with ids.
 */
export function keyOf(table: Numbered, id: string | null | Expression<string>) {
  return expressionBuilder<Database>()
    .selectFrom(table)
    .select(`${table}.seq`)
    .where(`${table}.id`, '=', id as string);
}

/** The status list index of the intent with this id. Null while nothing is issued. */
export function receiptIndexOf(intentId: string) {
  return expressionBuilder<Database>()
    .selectFrom('intents')
    .select('intents.receipt_index')
    .where('intents.id', '=', intentId);
}
