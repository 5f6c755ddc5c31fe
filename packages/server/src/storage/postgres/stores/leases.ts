import type { LeaseWriter } from '../../../gate/leases/lease.ts';
import { insertLease } from '../../queries/leases.ts';
import type { OverRunner } from '../../sql/prepared-query.ts';
import type { ObjectOf } from '../../sql/table.ts';
import type { leases } from '../../sql/tables.ts';
import { guarded } from '../../sql/write-statements.ts';

const takeOver = guarded((db, $: ObjectOf<typeof leases.columns> & { now: string }) =>
  db
    .updateTable('leases')
    .set({ leased_by: $.leasedBy, leased_until: $.leasedUntil })
    .where('queue', '=', $.queue)
    .where('name', '=', (eb) =>
      eb
        .selectFrom('leases as free')
        .select('free.name')
        .where('free.queue', '=', $.queue)
        .where('free.name', '=', $.name)
        .where('free.leased_until', '<=', $.now)
        .forUpdate()
        .skipLocked(),
    ),
);

/**
 * A lease that another gate takes at this moment is passed over instead of waited for: the others of the same
 * transaction would wait with it, and two that wait for one another are only found out after a second.
 */
export const postgresLeases: Pick<OverRunner<LeaseWriter>, 'takeLease'> = {
  async takeLease(run, { queue, name }, by, now, until) {
    const lease = { queue, name, leasedBy: by, leasedUntil: until };
    return (await takeOver(run, { ...lease, now })) || insertLease(run, lease);
  },
};
