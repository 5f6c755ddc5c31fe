/**
 * What keeps a project's settings still while something is written under them.
 *
 * Whoever reads the revision in a transaction that rests on guards alone shares the project's lock until that
 * transaction ends, and whoever raises it holds the lock alone. So once a pause is acknowledged nothing is committed
 * that had not seen it. The lock is an advisory one, not `for share` of the row: requests that share a row hand it on
 * among each other for as long as they come, and the one that wants to change it would wait for ever; here those that
 * come later stand behind it.
 */
import { sql } from 'kysely';
import { projectReads, projectWrites } from '../../queries/projects.ts';
import { prepare, type QueryRunner } from '../../sql/prepared-query.ts';

type ProjectId = { id: string };

/** Two projects whose numbers are equal wait for each other needlessly, and nothing worse. */
const numberOf = (id: string) => sql`hashtextextended(${id}, 7061)`;

const shareLock = prepare((db, $: ProjectId) =>
  db.selectNoFrom(sql<string>`pg_advisory_xact_lock_shared(${numberOf($.id)})::text`.as('lock')),
);

const takeLock = prepare((db, $: ProjectId) =>
  db.selectNoFrom(sql<string>`pg_advisory_xact_lock(${numberOf($.id)})::text`.as('lock')),
);

const findLocked = prepare((db, $: ProjectId) =>
  db.selectFrom('projects').select('revision').where('id', '=', $.id).forNoKeyUpdate(),
);

/** At READ COMMITTED. The lock has a statement of its own: the one that reads sees what was committed meanwhile. */
export async function findRevisionUnderLock(run: QueryRunner, id: string): Promise<number | undefined> {
  // Sent together, run one after the other.
  const [, revision] = await Promise.all([
    run.first(shareLock, { id }),
    projectReads.findProjectRevision(run, id),
  ]);
  return revision;
}

/** At SERIALIZABLE. One that grew since the transaction's first statement is a serialization failure; none can grow now. */
export async function findRevisionForUpdate(run: QueryRunner, id: string): Promise<number | undefined> {
  return (await run.first(findLocked, { id }))?.revision;
}

export async function bumpUnderLock(run: QueryRunner, id: string): Promise<void> {
  await run.first(takeLock, { id });
  await projectWrites.bumpProjectRevision(run, id);
}
