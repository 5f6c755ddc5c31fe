import { type LeaseToTake, takesLeases } from '../../queries/leases.ts';
import { change } from '../../sql/write-statements.ts';

const takeOver = change((db, $: LeaseToTake) =>
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
export const postgresLeases = takesLeases(async (run, lease) => (await takeOver(run, lease)) === 1);
