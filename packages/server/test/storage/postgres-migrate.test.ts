import { Client } from 'pg';
import { afterEach, describe, expect, it } from 'vitest';
import { postgresMigrations } from '../../src/storage/migrations/postgres.ts';
import { migrate, schemaVersion } from '../../src/storage/postgres/migrate.ts';
import { openTestDatabase } from '../fixtures/postgres/open-test-database.ts';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** Connections to an empty database, so many. */
async function connectToEmpty<const N extends readonly string[]>(
  ...names: N
): Promise<{ [K in keyof N]: Client }> {
  const database = await openTestDatabase({ empty: true });
  closing.push(database.drop);
  const clients = names.map((name) => new Client({ connectionString: database.url, application_name: name }));
  for (const client of clients) {
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

describe('migrating PostgreSQL', () => {
  it('brings an empty database up to date, once, however many gates start', async () => {
    const clients = await connectToEmpty('one', 'two', 'three');
    await Promise.all(clients.map((client) => migrate(client, postgresMigrations)));
    const [client] = clients;
    expect(await schemaVersion(client)).toBe(postgresMigrations.length);
    const { rows } = await client.query('select version from permitry_migrations order by version');
    expect(rows.map((row: { version: string | number }) => Number(row.version))).toEqual(
      postgresMigrations.map((_, index) => index + 1),
    );
    const tables = await tablesOf(client);
    await migrate(client, postgresMigrations);
    expect(await tablesOf(client)).toEqual(tables);
  });

  it('goes on from where an older release left it', async () => {
    const [client] = await connectToEmpty('one');
    await migrate(client, postgresMigrations);
    await migrate(client, [...postgresMigrations, 'create table later (id text)']);
    expect(await tablesOf(client)).toContain('later');
    expect(await schemaVersion(client)).toBe(postgresMigrations.length + 1);
  });

  it('leaves nothing of a migration that fails, and all of those before', async () => {
    const [client] = await connectToEmpty('one');
    const broken = ['create table first (id text)', 'create table second (id text); select no_such_column'];
    await expect(migrate(client, broken)).rejects.toThrow('no_such_column');
    expect(await tablesOf(client)).toEqual(['first', 'permitry_migrations']);
    expect(await schemaVersion(client)).toBe(1);
  });

  it('refuses what a newer release wrote, and changes nothing', async () => {
    const [client] = await connectToEmpty('one');
    await migrate(client, ['create table first (id text)', 'create table second (id text)']);
    await expect(migrate(client, ['create table first (id text)'])).rejects.toThrow('newer release');
    expect(await tablesOf(client)).toEqual(['first', 'permitry_migrations', 'second']);
  });

  it('refuses a database that holds something else, and changes nothing', async () => {
    const [client] = await connectToEmpty('one');
    await client.query('create table schema_migrations (version text)');
    await expect(migrate(client, postgresMigrations)).rejects.toThrow('something else than Permitry');
    expect(await tablesOf(client)).toEqual(['schema_migrations']);
  });

  it('keeps to the schema of its connection', async () => {
    const [client] = await connectToEmpty('one');
    await client.query('create table theirs (id text); create schema gate; set search_path = gate');
    await migrate(client, postgresMigrations);
    expect(await tablesOf(client)).toContain('intents');
    await client.query('set search_path = nowhere');
    await expect(migrate(client, postgresMigrations)).rejects.toThrow('search_path');
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
    await expect(migrate(latin, postgresMigrations)).rejects.toThrow('LATIN1');
    expect(await tablesOf(latin)).toEqual([]);
  });
});
