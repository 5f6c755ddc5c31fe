/**
 * The audit log on PostgreSQL. Many transactions write at once, and their commit order is unknown. So an event has no
 * `seq` until it is sealed. Sealing numbers such events in the order in which they were written.
 */
import { sql } from 'kysely';
import type { AuditReader, AuditWriter } from '../../../gate/audit/audit-event.ts';
import { keysOfEvent, toNewEvent } from '../../queries/audit.ts';
import { insertSeal, moveChainHead } from '../../queries/seals.ts';
import { unsealedReads } from '../../queries/unsealed-events.ts';
import { type OverRunner, prepare } from '../../sql/prepared-query.ts';
import { keyOf } from '../../sql/row-key.ts';
import { events } from '../../sql/tables.ts';
import { insertInto } from '../../sql/write-statements.ts';

const listProjects = prepare((db) =>
  db
    .selectFrom((eb) =>
      eb
        .selectFrom('events')
        .select((of) => ['project_key', of.fn.min<number>('position').as('first_position')])
        .where('seq', 'is', null)
        .groupBy('project_key')
        .as('unsealed'),
    )
    .innerJoin('projects', 'projects.seq', 'unsealed.project_key')
    .select(['projects.id', 'unsealed.first_position']),
);

const insert = insertInto(events, keysOfEvent);

const giveSeqs = prepare((db, $: { projectId: string; positions: string; firstSeq: number }) =>
  db
    .updateTable('events')
    .from(
      sql<{
        position: number;
        nth: number;
      }>`unnest(cast(${$.positions} as bigint[])) with ordinality`.as<'given'>(sql`given (position, nth)`),
    )
    .set({ seq: sql<number>`given.nth + cast(${$.firstSeq} as bigint) - 1` })
    .where('events.project_key', '=', keyOf('projects', $.projectId))
    .whereRef('events.position', '=', 'given.position')
    .where('events.seq', 'is', null),
);

export const postgresAudit: Partial<OverRunner<AuditReader & AuditWriter>> = {
  ...unsealedReads({
    column: 'position',
    seq: sql<null>`null`,
    isUnsealed: () => sql<boolean>`seq is null`,
    listProjects,
  }),

  insertEvent: (run, event) => insert(run, toNewEvent(event)),

  async appendSeal(run, seal, head) {
    if (!(await moveChainHead(run, seal, head))) return false;
    const { projectId, firstSeq, positions } = seal;
    const given = await run.change(giveSeqs, { projectId, firstSeq, positions: `{${positions.join()}}` });
    if (given !== positions.length)
      throw new Error(`${positions.length - given} events of a seal are not there`);
    await insertSeal(run, seal);
    return true;
  },
};
