/** Owns the counts of sign-in attempts. */
import type { SignInCountReader, SignInCountWriter } from '../../people/sign-in-tries/sign-in-count.ts';
import type { OverRunner } from '../sql/prepared-query.ts';
import { findIn } from '../sql/read-statements.ts';
import { signInCounts } from '../sql/tables.ts';
import { change, deleteFrom, deleteOldest, save } from '../sql/write-statements.ts';

const find = findIn(signInCounts, 'name');
const saveCount = save(signInCounts, { by: ['name'], set: ['count', 'until', 'keptUntil'] });
const drop = deleteFrom(signInCounts, 'name');

const dropBetween = change((db, $: { from: string; to: string }) =>
  db.deleteFrom('sign_in_counts').where('name', '>=', $.from).where('name', '<', $.to),
);

/** Sorts by `kept_until`, latest first, so that the offset skips the counts to keep. */
const deleteBeyond = change((db, $: { from: string; to: string; keep: number; limit: number }) =>
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

export const signInCountQueries: OverRunner<SignInCountReader & SignInCountWriter> = {
  findSignInCount: (run, name) => find(run, { name }),

  saveSignInCount: (run, name, count) => saveCount(run, { ...count, name }),

  dropSignInCount: (run, name) => drop(run, { name }),

  dropSignInCounts: (run, prefix) => dropBetween(run, { from: prefix, to: `${prefix}${LAST}` }),

  deleteOldSignInCounts: deleteOldest(signInCounts, { key: 'name', until: 'keptUntil' }),

  trimSignInCounts: (run, prefix, keep, limit) =>
    deleteBeyond(run, { from: prefix, to: `${prefix}${LAST}`, keep, limit }),
};

/** Sorts after everything that begins with a prefix. */
const LAST = '\u{10ffff}';
