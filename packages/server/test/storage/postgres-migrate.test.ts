import { Client } from 'pg';
import { afterEach, describe, expect, it } from 'vitest';
import { wholeSchema } from '../../../../scripts/schema/to-sql.ts';
import type { Migration, Step } from '../../src/storage/migrations/migration.ts';
import { MIGRATIONS } from '../../src/storage/migrations/migrations.ts';
import { migrate, readSchema } from '../../src/storage/postgres/migrate.ts';
import { openTestDatabase } from '../fixtures/postgres/open-test-database.ts';
import { schemaOfPostgres } from './schema-of.ts';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** One connection per name, all to the same empty database. */
async function connectToEmpty<const N extends readonly string[]>(
  ...names: N
): Promise<{ [K in keyof N]: Client }> {
  const database = await openTestDatabase({ empty: true });
  closing.push(database.drop);
  const clients = names.map((name) => new Client({ connectionString: database.url, application_name: name }));
  for (const client of clients) {
    // Without a listener the error would end the test run. The client's next query fails with the same error.
    client.on('error', () => undefined);
    await client.connect();
    closing.push(() => client.end());
  }
  return clients as { [K in keyof N]: Client };
}

async function tablesOf(client: Client): Promise<unknown[]> {
  const { rows } = await client.query(
    'select tablename from pg_tables where schemaname = current_schema() order by 1',
  );
  return rows.map((row: { tablename: string }) => row.tablename);
}

const FIRST: Migration = {
  servesFrom: 1,
  steps: [{ statement: 'create table boxes (id {integer} primary key, size {integer})' }],
};
const INDEX: Step = { index: 'boxes_by_size', on: 'boxes (size)' };

function then(...steps: Step[]): Migration[] {
  return [FIRST, { servesFrom: 1, steps }];
}

/** Whether the index exists and is valid. */
async function stateOfIndex(client: Client): Promise<boolean | undefined> {
  const { rows } = await client.query<{ valid: boolean }>(
    "select indisvalid as valid from pg_index where indexrelid = to_regclass('boxes_by_size')",
  );
  return rows[0]?.valid;
}

/** For the server, this is the same as if the process with that connection had ended. */
async function cutOff(name: string, client: Client): Promise<void> {
  await client.query(
    'select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1 and datname = current_database()',
    [name],
  );
}

describe('migrating PostgreSQL', () => {
  it('updates an empty database once, however many gates start', async () => {
    const clients = await connectToEmpty('one', 'two', 'three');
    await Promise.all(clients.map((client) => migrate(client, MIGRATIONS)));
    const [client] = clients;
    expect((await readSchema(client)).version).toBe(MIGRATIONS.length);
    const { rows } = await client.query('select version from permitry_migrations order by version');
    expect(rows.map((row: { version: string | number }) => Number(row.version))).toEqual(
      MIGRATIONS.map((_, index) => index + 1),
    );
    const tables = await tablesOf(client);
    await migrate(client, MIGRATIONS);
    expect(await tablesOf(client)).toEqual(tables);
  });

  it('creates the defined tables', async () => {
    const [client] = await connectToEmpty('one');
    await client.query(`create schema said; set search_path = said; ${wholeSchema('postgres')}`);
    const said = await schemaOfPostgres(client);
    await client.query('set search_path = public');
    await migrate(client, MIGRATIONS);
    const migrated = await schemaOfPostgres(client);
    const inNoSchema = (facts: readonly string[]) =>
      facts.map((fact) => fact.replace(/\b(said|public)\./g, '')).toSorted();
    expect(migrated.length).toBeGreaterThan(500);
    expect(inNoSchema(migrated)).toEqual(inNoSchema(said));
    await client.query('alter table agents add column later bigint');
    expect(inNoSchema(await schemaOfPostgres(client))).not.toEqual(inNoSchema(said));
  });

  it('resumes at the step that an interrupted migration reached', async () => {
    const [client] = await connectToEmpty('one');
    const made: Step = { statement: 'create table later (id {text})' };
    await expect(migrate(client, then(made, { statement: 'select no_such_column' }))).rejects.toThrow(
      'no_such_column',
    );
    expect(await tablesOf(client)).toEqual(['boxes', 'later', 'permitry_migrations']);
    expect(await readSchema(client)).toEqual({ version: 1, servesFrom: 1, stepsDone: 1 });
    await migrate(client, then(made, INDEX));
    expect(await readSchema(client)).toEqual({ version: 2, servesFrom: 1, stepsDone: 0 });
    expect(await stateOfIndex(client)).toBe(true);
  });

  it('leaves nothing behind of a statement that fails', async () => {
    const [client] = await connectToEmpty('one');
    const broken = then({ statement: 'create table second (id text); select no_such_column' });
    await expect(migrate(client, broken)).rejects.toThrow('no_such_column');
    expect(await tablesOf(client)).toEqual(['boxes', 'permitry_migrations']);
    expect(await readSchema(client)).toEqual({ version: 1, servesFrom: 1, stepsDone: 0 });
  });

  it('lets the previous release open a database with only additions, and changes nothing', async () => {
    const [client] = await connectToEmpty('one');
    await migrate(client, then(INDEX));
    await migrate(client, [FIRST]);
    expect(await readSchema(client)).toEqual({ version: 2, servesFrom: 1, stepsDone: 0 });
  });

  it.each<[string, Step]>([
    ['is done', { statement: 'alter table boxes drop column size' }],
    ['is under way', { index: 'never_done', on: 'boxes (no_such_column)' }],
  ])('keeps the previous release off a database it cannot serve once the change %s', async (_when, step) => {
    const [client] = await connectToEmpty('one');
    await migrate(client, [FIRST, { servesFrom: 2, steps: [step] }]).catch(() => undefined);
    const before = await readSchema(client);
    await expect(migrate(client, [FIRST])).rejects.toThrow(
      'has schema version 2, but this Permitry knows 1: it was written by a newer release',
    );
    expect(await readSchema(client)).toEqual(before);
  });

  it('refuses a database that contains something else, and changes nothing', async () => {
    const [client] = await connectToEmpty('one');
    await client.query('create table schema_migrations (version text)');
    await expect(migrate(client, MIGRATIONS)).rejects.toThrow('tables that are not Permitry’s');
    expect(await tablesOf(client)).toEqual(['schema_migrations']);
  });

  it('uses only the schema of its connection', async () => {
    const [client] = await connectToEmpty('one');
    await client.query('create table theirs (id text); create schema gate; set search_path = gate');
    await migrate(client, MIGRATIONS);
    expect(await tablesOf(client)).toContain('intents');
    await client.query('set search_path = nowhere');
    await expect(migrate(client, MIGRATIONS)).rejects.toThrow('search_path');
  });

  it('refuses an encoding that cannot hold every text', async () => {
    const [client] = await connectToEmpty('one');
    const name = `latin_${process.pid}`;
    await client.query(`create database ${name} template template0 encoding 'LATIN1' locale 'C'`);
    closing.push(() => client.query(`drop database ${name}`));
    const latin = new Client({
      host: client.host,
      port: client.port,
      user: client.user,
      password: client.password ?? '',
      database: name,
    });
    await latin.connect();
    closing.push(() => latin.end());
    await expect(migrate(latin, MIGRATIONS)).rejects.toThrow('LATIN1');
    expect(await tablesOf(latin)).toEqual([]);
  });
});

describe('on a PostgreSQL database in use', () => {
  async function holding<const N extends readonly string[]>(...names: N) {
    const clients = await connectToEmpty('holder', 'other', ...names);
    const [holder] = clients;
    await migrate(holder, [FIRST]);
    await holder.query('insert into boxes (id) select generate_series(1, 2500)');
    return clients;
  }

  it('a schema change yields to statements that queue behind it, for as long as a transaction blocks it', async () => {
    const [holder, other, one] = await holding('one');
    await holder.query('begin; select from boxes limit 1');
    const told: string[] = [];
    const added: Step = { statement: 'alter table boxes add column name {text}' };
    const migrated = migrate(one, then(added), (sentence) => told.push(sentence));
    await expect.poll(() => told).toEqual([expect.stringContaining('gives way')]);
    // If the schema change waited for its lock without a timeout, these statements would wait until the holder's
    // transaction ends.
    await other.query('insert into boxes (id) values (0)');
    expect((await other.query('select from boxes')).rowCount).toBe(2501);
    expect(await readSchema(other)).toMatchObject({ version: 1 });
    await holder.query('commit');
    await migrated;
    expect((await other.query('select name from boxes')).rowCount).toBe(2501);
  });

  it('a schema change whose connection is cut fails with the reason', async () => {
    const [holder, other, one] = await holding('one');
    await holder.query('begin; select from boxes limit 1');
    const cut = migrate(one, then({ statement: 'alter table boxes add column name {text}' }));
    const waiting = async () => {
      const { rows } = await other.query(
        "select wait_event_type as waits_for from pg_stat_activity where application_name = 'one' and datname = current_database()",
      );
      return rows;
    };
    await expect.poll(waiting).toEqual([{ waits_for: 'Lock' }]);
    await Promise.all([expect(cut).rejects.toThrow('terminating connection'), cutOff('one', other)]);
    await holder.query('commit');
    expect(await readSchema(other)).toMatchObject({ version: 1 });
  });

  it('an index is built while others write, and rebuilt after an interrupted build', async () => {
    const [holder, other, one, two, three] = await holding('one', 'two', 'three');
    // The build waits for transactions that may still need rows that the index omits.
    await holder.query('begin isolation level repeatable read; select from boxes limit 1');
    const built = migrate(one, then(INDEX));
    await expect.poll(() => stateOfIndex(other)).toBe(false);
    await other.query('insert into boxes (id, size) values (0, 1)');
    await Promise.all([expect(built).rejects.toThrow(), cutOff('one', other)]);
    expect(await stateOfIndex(other)).toBe(false);
    expect(await readSchema(other)).toMatchObject({ version: 1 });

    const told: string[] = [];
    const again = [two, three].map((client) =>
      migrate(client, then(INDEX), (sentence) => told.push(sentence)),
    );
    await expect
      .poll(() => told.toSorted())
      .toEqual([
        expect.stringContaining('Another process is migrating'),
        expect.stringContaining('Building the index boxes_by_size'),
      ]);
    await holder.query('commit');
    await Promise.all(again);
    expect(await stateOfIndex(other)).toBe(true);
    expect(await readSchema(other)).toMatchObject({ version: 2 });
  });

  it('rows are filled in pieces, each visible at once, and none twice after an interruption', async () => {
    const [holder, other, one, two] = await holding('one', 'two');
    await holder.query('begin; update boxes set size = 7 where id = 2400');
    const filled = then({
      fill: 'boxes',
      by: 'id',
      set: 'size = coalesce(size, 0) + 1',
      where: 'size is null',
    });
    const told: string[] = [];
    const cut = migrate(one, filled, (sentence) => told.push(sentence));
    await expect.poll(() => told).toEqual([expect.stringContaining('gives way')]);
    const sizes = async () => {
      const { rows } = await other.query(
        'select size, cast(count(*) as int) as rows from boxes group by size order by 1',
      );
      return rows;
    };
    expect(await sizes()).toEqual([
      { size: '1', rows: 2000 },
      { size: null, rows: 500 },
    ]);
    await other.query('update boxes set size = 8 where id = 2401');
    await Promise.all([expect(cut).rejects.toThrow(), cutOff('one', other)]);
    await holder.query('commit');
    await migrate(two, filled);
    expect(await sizes()).toEqual([
      { size: '1', rows: 2498 },
      { size: '7', rows: 1 },
      { size: '8', rows: 1 },
    ]);
  });
});
