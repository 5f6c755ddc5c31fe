/**
 * The database that gates served last, known by its identity and not by its address. A restored database has another
 * identity.
 */
import type { Instant } from '../../gate/kernel/instant.ts';
import type { OpenStorage } from '../../storage/storage.ts';

type Database = Pick<OpenStorage, 'identity' | 'read' | 'transaction'>;

const NOT_SERVED_LAST =
  'This is not the database that gates served last. It was restored or copied, so permits may have been used that it ' +
  'does not know of. Run: permitry declare-restored --revoke-keys (or --keep-keys), which revokes unused approvals and ' +
  'stops every project until you start it. Only if nothing was lost, because all gates were stopped and the latest ' +
  'state was copied (pg_upgrade, a planned copy): permitry declare-restored --nothing-lost';

/**
 * Called before a gate serves. The first gate records the database's identity. A later gate may find a different
 * identity. Then the database is a dump or a copy, which may not know what was used since.
 * @throws Error for a database that is not the one served last
 */
export async function assertServedLast(database: Database): Promise<void> {
  const identity = await database.identity();
  if (identity === null) return;
  const known =
    (await database.read.findInstallationFact('served_database')) ??
    // If several gates start at the same time, one of them writes, and all use its value.
    (await database.transaction(async (tx) => {
      await tx.insertInstallationFact('served_database', identity);
      return tx.findInstallationFact('served_database');
    }));
  if (known !== identity) throw new Error(NOT_SERVED_LAST);
}

/** A sentence that says why this database must not be served. Undefined: it may be served. Writes nothing. */
export async function findOtherDatabase(
  database: Pick<Database, 'identity' | 'read'>,
): Promise<string | undefined> {
  const known = await database.read.findInstallationFact('served_database');
  return known === undefined || known === (await database.identity()) ? undefined : NOT_SERVED_LAST;
}

/** From now on, this database may be served. */
export async function rememberServed(database: Database, now: Instant): Promise<void> {
  const identity = await database.identity();
  if (identity === null) return;
  await database.transaction(async (tx) => {
    await tx.putInstallationFact('served_database', identity);
    // Gates remember only earlier times about this database, so these no longer count.
    await tx.raiseInstallationFact('declared_at', now);
    await tx.deleteInstallationFact('commits_lost');
  });
}
