/** Owns the events that no seal covers yet. */
import type { AliasableExpression, Expression, Kysely, SqlBool } from 'kysely';
import type { AuditReader } from '../../gate/audit/audit-event.ts';
import { type OverRunner, type PreparedQuery, prepare, prepareGiven } from '../sql/prepared-query.ts';
import { keyOf } from '../sql/row-key.ts';
import type { Database } from '../sql/tables.ts';

/** How a database identifies unsealed events. */
interface Unsealed {
  /** The column that identifies an event. */
  column: 'seq' | 'position';
  /** The `seq` of an event before it is sealed. */
  seq: AliasableExpression<number | null>;
  isUnsealed(projectId: string): Expression<SqlBool>;
  /** The projects, each with the position of its first unsealed event. */
  listProjects: PreparedQuery<object, { id: string; first_position: number }>;
}

type UnsealedReads = Pick<
  AuditReader,
  'listUnsealedEvents' | 'findLastUnsealedPosition' | 'countUnsealedEvents' | 'listUnsealedProjects'
>;

type StretchParams = { projectId: string; limit: number; throughPosition: number | undefined };

export function unsealedReads(of: Unsealed): OverRunner<UnsealedReads> {
  const unsealed = (db: Kysely<Database>, projectId: string) =>
    db
      .selectFrom('events')
      .where('project_key', '=', keyOf('projects', projectId))
      .where(of.isUnsealed(projectId));
  const position = `${of.column} as position` as const;

  const list = prepareGiven((db, { projectId, limit, throughPosition }: StretchParams) => {
    const rows = unsealed(db, projectId)
      .select([position, 'event_hash'])
      .select(of.seq.as('seq'))
      .orderBy(of.column)
      .limit(limit);
    return throughPosition === undefined ? rows : rows.where(of.column, '<=', throughPosition);
  });
  const findLast = prepare((db, $: { projectId: string }) =>
    unsealed(db, $.projectId).select(position).orderBy(of.column, 'desc').limit(1),
  );
  const count = prepare((db, $: { projectId: string }) =>
    unsealed(db, $.projectId).select((eb) => eb.fn.countAll<number>().as('count')),
  );

  return {
    async listUnsealedEvents(run, projectId, limit, throughPosition) {
      const params = { projectId, limit, throughPosition };
      const rows = await run.all(list(params), params);
      return rows.map(({ position, seq, event_hash }) => ({ position, seq, eventHash: event_hash }));
    },

    findLastUnsealedPosition: async (run, projectId) => (await run.first(findLast, { projectId }))?.position,

    countUnsealedEvents: async (run, projectId) => (await run.first(count, { projectId }))?.count ?? 0,

    async listUnsealedProjects(run) {
      const rows = await run.all(of.listProjects, {});
      return rows.map((row) => ({ projectId: row.id, firstPosition: row.first_position }));
    },
  };
}
