/**
 * Keeps a project's settings unchanged while a transaction that relies on them writes.
 *
 * A guarded transaction that reads the revision shares the project's lock until it ends. A writer that raises the
 * revision holds the lock exclusively. So once a pause is acknowledged, no transaction commits that had not seen it.
 * The lock is an advisory lock, not `for share` of the row. Overlapping requests would share the row without a gap, and
 * a writer would wait forever. With the advisory lock, later requests queue behind the writer.
 */
import { sql } from 'kysely';
import { projectQueries } from '../../queries/projects.ts';
import { prepare, type QueryRunner } from '../../sql/prepared-query.ts';

type ProjectId = { id: string };

/** If two projects hash to the same number, they wait for each other needlessly, and nothing worse happens. */
const numberOf = (id: string) => sql`hashtextextended(${id}, 7061)`;

const shareLock = prepare(
  (db, $: ProjectId) =>
    db.selectNoFrom(sql<string>`pg_advisory_xact_lock_shared(${numberOf($.id)})::text`.as('lock')),
  { locks: 'shared' },
);

const takeLock = prepare(
  (db, $: ProjectId) =>
    db.selectNoFrom(sql<string>`pg_advisory_xact_lock(${numberOf($.id)})::text`.as('lock')),
  { locks: 'alone' },
);

const findLocked = prepare(
  (db, $: ProjectId) => db.selectFrom('projects').select('revision').where('id', '=', $.id).forNoKeyUpdate(),
  { locks: 'alone' },
);

/**
 * For READ COMMITTED. The lock is a separate statement, so that the read after it sees changes committed during the
 * wait.
 */
export async function isAtRevisionUnderLock(
  run: QueryRunner,
  id: string,
  revision: number,
): Promise<boolean> {
  // Sent together, executed one after the other.
  const [, isAtRevision] = await Promise.all([
    run.first(shareLock, { id }),
    projectQueries.isAtRevision(run, id, revision),
  ]);
  return isAtRevision;
}

/**
 * For SERIALIZABLE. If the revision has grown since the transaction's first statement, this read fails to serialise.
 * From then on the row is locked, and the revision cannot grow.
 */
export async function isAtRevisionForUpdate(
  run: QueryRunner,
  id: string,
  revision: number,
): Promise<boolean> {
  return (await run.first(findLocked, { id }))?.revision === revision;
}

export async function bumpUnderLock(run: QueryRunner, id: string): Promise<void> {
  await run.first(takeLock, { id });
  await projectQueries.bumpProjectRevision(run, id);
}
