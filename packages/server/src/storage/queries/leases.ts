/** Owns the leases, each of which gives a piece of work to one gate at a time. */
import type { Lease, LeaseWriter } from '../../gate/leases/lease.ts';
import type { OverRunner } from '../sql/prepared-query.ts';
import type { ObjectOf } from '../sql/table.ts';
import { leases } from '../sql/tables.ts';
import { change, guarded, insertOnce, updateOf } from '../sql/write-statements.ts';

const NOBODY = '';
/** A time before all others, so that any gate can take the lease. The row stays for the next holder. */
const RELEASED = '';

/** Inserts the first lease of this name. False when one exists. */
const insert = insertOnce(leases);

// In a transaction of its own, not in a group: otherwise the whole group would wait for another gate that is taking the
// same lease.
const takeOver = change((db, $: ObjectOf<typeof leases.columns> & { now: string }) =>
  db
    .updateTable('leases')
    .set({ leased_by: $.leasedBy, leased_until: $.leasedUntil })
    .where('queue', '=', $.queue)
    .where('name', '=', $.name)
    .where('leased_until', '<=', $.now),
);

const extend = updateOf(leases, { set: ['leasedUntil'], where: ['queue', 'name', 'leasedBy'] });

const release = guarded(leases, (rows, $: Lease & { by: string }) =>
  rows
    .set({ leased_by: NOBODY, leased_until: RELEASED })
    .where('queue', '=', $.queue)
    .where('name', '=', $.name)
    .where('leased_by', '=', $.by),
);

const deleteOld = change((db, $: { before: string; limit: number }) =>
  db
    .deleteFrom('leases')
    .where((eb) =>
      eb(
        eb.refTuple('queue', 'name'),
        'in',
        eb
          .selectFrom('leases as old')
          .select(['old.queue', 'old.name'])
          .where('old.leased_until', '<', $.before)
          .orderBy('old.queue')
          .orderBy('old.name')
          .limit($.limit)
          .$asTuple('queue', 'name'),
      ),
    ),
);

export const leaseQueries: OverRunner<LeaseWriter> = {
  async takeLease(run, { queue, name }, by, now, until) {
    const lease = { queue, name, leasedBy: by, leasedUntil: until };
    return (await takeOver(run, { ...lease, now })) === 1 || insert(run, lease);
  },

  extendLease: (run, { queue, name }, by, until) =>
    extend(run, { queue, name, leasedBy: by, leasedUntil: until }),

  releaseLease: (run, { queue, name }, by) => release(run, { queue, name, by }),

  deleteOldLeases: (run, before, limit) => deleteOld(run, { before, limit }),
};
