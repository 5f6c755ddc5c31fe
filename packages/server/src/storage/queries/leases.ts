/** Owns leases: which gate works on what. */
import type { Instant } from '../../gate/kernel/instant.ts';
import type { Lease, LeaseWriter } from '../../gate/leases/lease.ts';
import { type OverRunner, prepare, type QueryRunner } from '../sql/prepared-query.ts';
import type { Row } from '../sql/tables.ts';

const NOBODY = '';
/** Before all time, so that anybody may take it: the row stays, for the next who does to find it. */
const RELEASED = '';

const insertRow = prepare((db, $: Row<'leases'>) =>
  db
    .insertInto('leases')
    .values({ queue: $.queue, name: $.name, leased_by: $.leased_by, leased_until: $.leased_until })
    .onConflict((conflict) => conflict.doNothing()),
);

const takeOverRow = prepare((db, $: Row<'leases'> & { now: string }) =>
  db
    .updateTable('leases')
    .set({ leased_by: $.leased_by, leased_until: $.leased_until })
    .where('queue', '=', $.queue)
    .where('name', '=', $.name)
    .where('leased_until', '<=', $.now),
);

const extendRow = prepare((db, $: Row<'leases'>) =>
  db
    .updateTable('leases')
    .set({ leased_until: $.leased_until })
    .where('queue', '=', $.queue)
    .where('name', '=', $.name)
    .where('leased_by', '=', $.leased_by),
);

const releaseRow = prepare((db, $: Lease & { by: string }) =>
  db
    .updateTable('leases')
    .set({ leased_by: NOBODY, leased_until: RELEASED })
    .where('queue', '=', $.queue)
    .where('name', '=', $.name)
    .where('leased_by', '=', $.by),
);

const deleteOld = prepare((db, $: { before: string; limit: number }) =>
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

export const leaseWrites: OverRunner<LeaseWriter> = {
  async takeLease(run, lease, by, now, until) {
    const { queue, name } = lease;
    const taken = await run.change(takeOverRow, { queue, name, leased_by: by, leased_until: until, now });
    return taken === 1 || insertLease(run, lease, by, until);
  },

  async extendLease(run, { queue, name }, by, until) {
    return (await run.change(extendRow, { queue, name, leased_by: by, leased_until: until })) === 1;
  },

  async releaseLease(run, { queue, name }, by) {
    return (await run.change(releaseRow, { queue, name, by })) === 1;
  },

  deleteOldLeases: (run, before, limit) => run.change(deleteOld, { before, limit }),
};

/** The first of this name; false when there was one. */
export async function insertLease(
  run: QueryRunner,
  { queue, name }: Lease,
  by: string,
  until: Instant,
): Promise<boolean> {
  return (await run.change(insertRow, { queue, name, leased_by: by, leased_until: until })) === 1;
}
