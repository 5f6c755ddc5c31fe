/** The database that gates served last, by what it is rather than by its address: one that was restored is another. */
import type { Instant } from '../../gate/kernel/instant.ts';
import type { OpenStorage } from '../../storage/storage.ts';

type Database = Pick<OpenStorage, 'identity' | 'read' | 'transaction'>;

const NOT_SERVED_LAST =
  'This is not the database that gates served last: it was restored or copied, and may not know what was used ' +
  'since. Run: permitry declare-restored --revoke-keys (or --keep-keys), which takes back unused approvals and ' +
  'stops every project until you start it. Only when nothing was lost, because all gates were stopped and the newest ' +
  'state was carried over (pg_upgrade, a planned copy): permitry declare-restored --nothing-lost';

/**
 * For a gate that is about to serve. The first of all writes down which database it is; whoever comes to another one,
 * into which that was carried by a dump or a copy, may have one before them that does not know what was used since.
 *
 * @throws Error for a database that is not the one served last
 */
export async function assertServedLast(database: Database): Promise<void> {
  const identity = await database.identity();
  if (identity === null) return;
  const known =
    (await database.read.findInstallationFact('served_database')) ??
    // Of gates that come first at once, one writes, and all go by that.
    (await database.transaction(async (tx) => {
      await tx.insertInstallationFact('served_database', identity);
      return tx.findInstallationFact('served_database');
    }));
  if (known !== identity) throw new Error(NOT_SERVED_LAST);
}

/** Why the database may not be served, in a sentence, as far as it says itself; nothing is written. */
export async function findOtherDatabase(
  database: Pick<Database, 'identity' | 'read'>,
): Promise<string | undefined> {
  const known = await database.read.findInstallationFact('served_database');
  return known === undefined || known === (await database.identity()) ? undefined : NOT_SERVED_LAST;
}

/** From now on it is the one that may be served. */
export async function rememberServed(database: Database, now: Instant): Promise<void> {
  const identity = await database.identity();
  if (identity === null) return;
  await database.transaction(async (tx) => {
    await tx.putInstallationFact('served_database', identity);
    // Whatever gates remember of it was before.
    await tx.raiseInstallationFact('declared_at', now);
    await tx.deleteInstallationFact('commits_lost');
  });
}
