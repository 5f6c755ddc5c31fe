/**
 * What keeps a project's settings still while something is written under them.
 *
 * A guarded transaction that asks for the revision shares the project's lock until that
 * transaction ends, and whoever raises it holds the lock alone. So once a pause is acknowledged nothing is committed
 * that had not seen it. The lock is an advisory one, not `for share` of the row: requests that share a row hand it on
 * among each other for as long as they come, and the one that wants to change it would wait for ever; here those that
 * come later stand behind it.
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

/** At READ COMMITTED. The lock has a statement of its own: the one that reads sees what was committed meanwhile. */
export async function isAtRevisionUnderLock(
  run: QueryRunner,
  id: string,
  revision: number,
): Promise<boolean> {
  // Sent together, run one after the other.
  const [, isAtRevision] = await Promise.all([
    run.first(shareLock, { id }),
    projectQueries.isAtRevision(run, id, revision),
  ]);
  return isAtRevision;
}

/** At SERIALIZABLE. One that grew since the transaction's first statement is a serialization failure; none can grow now. */
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
