/** Copies a whole gate into an empty database in one transaction, so that an interrupted move has moved nothing. */
import { DatabaseSync } from 'node:sqlite';
import type { ProjectMode } from '@permitry/protocol';
import type { Client } from 'pg';
import { openKeyEncryption } from '../../keys/key-encryption.ts';
import { KeyFolder } from '../../keys/key-folder.ts';
import type { SigningKeySettings } from '../../keys/key-settings.ts';
import { toRecord } from '../../keys/key-table.ts';
import { keptUnder } from '../../keys/private-parts.ts';
import { carriedSecretKey } from '../../keys/secret-encryption.ts';
import { SecretKeyFile } from '../../keys/secret-key-file.ts';
import { Servers } from '../../storage/postgres/connections/servers.ts';
import { fromStoredJws } from '../../storage/sql/stored-jws.ts';
import { databaseFile } from '../../storage/sqlite/open-database.ts';
import { carryTable, countRows, type OnMoved, quoted } from './carry-rows.ts';
import { MoveError } from './move-error.ts';
import type { MoveState } from './move-state.ts';
import { listTargetTables, type TargetTable } from './target-tables.ts';

/** Any number that no other program on the server is likely to use. */
const ADVISORY_LOCK = 0x50_52_4d_56;

/**
 * Tables that are not copied as they are. Some hold only passing state: leases, used rate limits, running gates, and
 * what the old files may still contain. Others are written again, because their contents get a new place or a new key.
 */
const LEFT_BEHIND: readonly string[] = [
  'leases',
  'rate_budgets',
  'gates',
  'permitry_migrations',
  'unfinished_erasures',
];
const WRITTEN_ANEW: readonly string[] = ['installation', 'signing_keys', 'signing_key_revision'];

export interface CopyOptions {
  directory: string;
  url: string;
  /** Includes the key-encryption key that encrypts everything secret in the database. */
  signingKeys: SigningKeySettings;
  baseUrl: string;
  /** Written in the same transaction as the rows. */
  state: MoveState;
  onMoved: OnMoved;
}

/** @throws MoveError `occupied` when the database is not empty, `damaged` for values that the database cannot hold */
export async function copyGate({
  directory,
  url,
  signingKeys,
  baseUrl,
  state,
  onMoved,
}: CopyOptions): Promise<void> {
  const source = new DatabaseSync(databaseFile(directory), { readOnly: true });
  const target = await connect(url);
  try {
    source.exec('begin');
    await target.query('begin');
    const { rows } = await target.query(`select pg_try_advisory_xact_lock(${ADVISORY_LOCK}) as taken`);
    if (!rows[0]?.taken)
      throw new MoveError('occupied', 'Another permitry move is running on this database.');
    const tables = carriedTables(await listTargetTables(target));
    // Keeps everyone from creating a first project during the copy.
    await target.query('lock table projects, users in share row exclusive mode');
    await assertEmpty(target, tables);
    for (const table of tables) await carryTable(source, target, table, onMoved);
    await carryKeys(target, directory, signingKeys);
    await putFact(target, 'base_url', baseUrl);
    await putFact(target, 'move', JSON.stringify(state));
    await target.query('commit');
    await target.query('analyze');
  } finally {
    source.close();
    await target.end();
  }
}

/** Tables with different numbers of rows, with both numbers. */
export async function compareCounts(
  directory: string,
  url: string,
): Promise<{ rows: number; differing: string[] }> {
  const source = new DatabaseSync(databaseFile(directory), { readOnly: true });
  const target = await connect(url);
  try {
    let rows = 0;
    const differing: string[] = [];
    for (const { name } of carriedTables(await listTargetTables(target))) {
      const sent = countRows(source, name);
      const answer = await target.query(`select count(*) as count from ${quoted(name)}`);
      const arrived = Number(answer.rows[0]?.count);
      rows += arrived;
      if (sent !== arrived) differing.push(`${name}: ${sent} were sent, ${arrived} arrived`);
    }
    return { rows, differing };
  } finally {
    source.close();
    await target.end();
  }
}

/** The permits of all projects that can still be used, as the database contains them. */
export async function listUsablePermits(
  url: string,
  now: string,
): Promise<readonly { token: string; mode: ProjectMode }[]> {
  const target = await connect(url);
  try {
    const { rows } = await target.query<{ token: string; mode: ProjectMode }>(
      `select issued.token, projects.mode
      from issued
      join intents on intents.receipt_index = issued.receipt_index
      join projects on projects.id = intents.project_id
      where issued.expires_at > $1`,
      [now],
    );
    return rows.map(({ token, mode }) => ({ token: fromStoredJws(token), mode }));
  } finally {
    await target.end();
  }
}

async function connect(url: string): Promise<Client> {
  const client = await new Servers(url).connect();
  await client.query(
    'set statement_timeout = 0; set lock_timeout = 0; set idle_in_transaction_session_timeout = 0',
  );
  return client;
}

function carriedTables(tables: readonly TargetTable[]): readonly TargetTable[] {
  return tables.filter(({ name }) => ![...LEFT_BEHIND, ...WRITTEN_ANEW].includes(name));
}

async function assertEmpty(target: Client, tables: readonly TargetTable[]): Promise<void> {
  for (const { name } of [...tables, { name: 'signing_keys' }]) {
    const { rows } = await target.query(`select exists (select from ${quoted(name)}) as used`);
    if (rows[0]?.used) {
      throw new MoveError(
        'occupied',
        `The database is not empty (${name}). A gate can only be moved into a database that nothing has used.`,
      );
    }
  }
}

/**
 * For each key: encrypts unencrypted private parts, re-encrypts those under an earlier key, and keeps references to
 * tokens.
 */
async function carryKeys(target: Client, directory: string, settings: SigningKeySettings): Promise<void> {
  const encryption = openKeyEncryption(settings);
  if (!encryption) throw new Error('a gate is moved with a key-encryption key');
  const { keys, failures } = await new KeyFolder(directory).read();
  if (failures.length > 0) throw failures[0];
  for (const key of keys) {
    const { kid, document, seal } = toRecord(await keptUnder(encryption, key), encryption);
    await target.query('insert into signing_keys (kid, document, seal) values ($1, $2, $3)', [
      kid,
      document,
      seal,
    ]);
  }
  await target.query('update signing_key_revision set revision = revision + 1');
  const secret = await carriedSecretKey(new SecretKeyFile(directory), encryption);
  if (secret !== undefined) await putFact(target, 'secrets_key', secret);
}

async function putFact(target: Client, name: string, value: string): Promise<void> {
  await target.query(
    'insert into installation (name, value) values ($1, $2) on conflict (name) do update set value = excluded.value',
    [name, value],
  );
}
