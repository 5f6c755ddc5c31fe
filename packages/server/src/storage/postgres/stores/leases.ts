import type { LeaseWriter } from '../../../gate/leases/lease.ts';
import { insertLease } from '../../queries/leases.ts';
import { type OverRunner, prepare } from '../../sql/prepared-query.ts';
import type { Row } from '../../sql/tables.ts';

const takeOverRow = prepare((db, $: Row<'leases'> & { now: string }) =>
  db
    .updateTable('leases')
    .set({ leased_by: $.leased_by, leased_until: $.leased_until })
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
  async takeLease(run, lease, by, now, until) {
    const { queue, name } = lease;
    const taken = await run.change(takeOverRow, { queue, name, leased_by: by, leased_until: until, now });
    return taken === 1 || insertLease(run, lease, by, until);
  },
};
