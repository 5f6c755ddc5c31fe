/** Owns how often somebody tried to sign in. */
import type { SignInCountReader, SignInCountWriter } from '../../people/sign-in-tries/sign-in-count.ts';
import { type OverRunner, prepare } from '../sql/prepared-query.ts';
import type { Row } from '../sql/tables.ts';

const findRow = prepare((db, $: { name: string }) =>
  db.selectFrom('sign_in_counts').selectAll().where('name', '=', $.name),
);

const saveRow = prepare((db, $: Row<'sign_in_counts'>) =>
  db
    .insertInto('sign_in_counts')
    .values({ name: $.name, count: $.count, until: $.until, kept_until: $.kept_until })
    .onConflict((conflict) =>
      conflict.column('name').doUpdateSet({ count: $.count, until: $.until, kept_until: $.kept_until }),
    ),
);

const dropRow = prepare((db, $: { name: string }) =>
  db.deleteFrom('sign_in_counts').where('name', '=', $.name),
);

const dropRows = prepare((db, $: { from: string; to: string }) =>
  db.deleteFrom('sign_in_counts').where('name', '>=', $.from).where('name', '<', $.to),
);

const deleteOld = prepare((db, $: { now: string; limit: number }) =>
  db
    .deleteFrom('sign_in_counts')
    .where('name', 'in', (eb) =>
      eb
        .selectFrom('sign_in_counts as old')
        .select('old.name')
        .where('old.kept_until', '<=', $.now)
        .orderBy('old.kept_until')
        .limit($.limit),
    ),
);

/** From the newest on, so that what is kept is skipped over. */
const deleteBeyond = prepare((db, $: { from: string; to: string; keep: number; limit: number }) =>
  db
    .deleteFrom('sign_in_counts')
    .where('name', 'in', (eb) =>
      eb
        .selectFrom('sign_in_counts as beyond')
        .select('beyond.name')
        .where('beyond.name', '>=', $.from)
        .where('beyond.name', '<', $.to)
        .orderBy('beyond.kept_until', 'desc')
        .limit($.limit)
        .offset($.keep),
    ),
);

export const signInCountReads: OverRunner<SignInCountReader> = {
  async findSignInCount(run, name) {
    const row = await run.first(findRow, { name });
    return row && { count: row.count, until: row.until, keptUntil: row.kept_until };
  },
};

/** Sorts after whatever begins with a prefix. */
const LAST = '\u{10ffff}';

export const signInCountWrites: OverRunner<SignInCountWriter> = {
  async saveSignInCount(run, name, { count, until, keptUntil }) {
    await run.change(saveRow, { name, count, until, kept_until: keptUntil });
  },

  async dropSignInCount(run, name) {
    await run.change(dropRow, { name });
  },

  async dropSignInCounts(run, prefix) {
    await run.change(dropRows, { from: prefix, to: `${prefix}${LAST}` });
  },

  deleteOldSignInCounts: (run, now, limit) => run.change(deleteOld, { now, limit }),

  trimSignInCounts: (run, prefix, keep, limit) =>
    run.change(deleteBeyond, { from: prefix, to: `${prefix}${LAST}`, keep, limit }),
};
