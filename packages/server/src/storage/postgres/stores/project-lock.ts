/**
 * Keeps a project's settings unchanged while something is written under them.
 *
 * A guarded transaction that reads the revision shares the project's lock until it ends. A writer that raises the
 * revision holds the lock exclusively. So once a pause is acknowledged, no transaction commits that had not seen it. It
 * is an advisory lock, not `for share` of the row. Requests that share a row pass it on to each other, and a writer
 * would wait forever. Here later requests queue behind the writer.
 */
import { sql } from 'kysely';
import { projectQueries } from '../../queries/projects.ts';
import { prepare, type QueryRunner } from '../../sql/prepared-query.ts';

type ProjectId = { id: string };

/** Two projects whose numbers are equal wait for each other needlessly, and nothing worse. */
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
 * At READ COMMITTED. The lock is a separate statement, so that the one that reads sees what was committed meanwhile.
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
 * At SERIALIZABLE. A revision that grew since the transaction's first statement causes a serialisation failure; none
 * can grow now.
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
