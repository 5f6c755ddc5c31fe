/** Several gates count uses of one mandate, so its rows are locked first. */
import { sql } from 'kysely';
import type { MandateUseWriter } from '../../../gate/mandates/mandate-uses.ts';
import { type OverRunner, prepare } from '../../sql/prepared-query.ts';

const lockEntries = prepare(
  (db, $: { ids: string }) =>
    db
      .selectFrom('mandate_entries')
      .select('entry')
      .where('mandate_id', '=', sql<string>`any(cast(${$.ids} as text[]))`)
      .orderBy('mandate_id')
      .orderBy('entry')
      .forUpdate(),
  { locks: 'alone' },
);

export const postgresMandateUses: Partial<OverRunner<MandateUseWriter>> = {
  lockMandates: (run, mandateIds) => run.all(lockEntries, { ids: `{${mandateIds.join()}}` }),
};
