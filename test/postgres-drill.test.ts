/** The PostgreSQL drill of docs/operations.md, pasted unchanged into a shell, against a running gate. */
import { randomBytes } from 'node:crypto';
import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findFreePort } from '../packages/server/test/fixtures/free-port.ts';
import { databaseUrl, withClient } from '../packages/server/test/fixtures/postgres/create-template.ts';
import { findPostgresBinaries } from '../packages/server/test/fixtures/postgres/find-binaries.ts';
import { makeRoom } from '../packages/server/test/fixtures/postgres/room.ts';
import { findServerUser } from '../packages/server/test/fixtures/postgres/server-user.ts';
import { startServer, stopServer } from '../packages/server/test/fixtures/postgres/start-server.ts';
import { commandsIn, Drill, missingOf, sectionOf } from './drill.ts';

const SECTION = sectionOf('docs/operations.md', 'The drill on PostgreSQL');
const BLOCKS = commandsIn(SECTION);
const ARCHIVE_IN_DOCUMENT = '/var/lib/postgresql/wal';

const { directory: BIN } = findPostgresBinaries();
const PROGRAMS = ['pg_basebackup', 'pg_ctl', 'psql'];
const MISSING = [
  ...PROGRAMS.map((name) => join(BIN, name)).filter((path) => !existsSync(path)),
  ...missingOf(['bash', 'curl', 'grep', 'sed', 'head', ...(process.getuid?.() === 0 ? ['setpriv'] : [])]),
];

let drill: Drill;
let room: string;
let archive: string;
let env: Record<string, string>;

/** The settings of the document, with this test's own archive. */
function settings(): Record<string, string> {
  const [, text = ''] = /```ini\n(.*?)```/s.exec(SECTION) ?? [];
  const lines = text.replaceAll(ARCHIVE_IN_DOCUMENT, archive).trim().split('\n');
  return Object.fromEntries(lines.map((line) => line.split(' = ')));
}

/** A folder that the server may write to. */
function share(folder: string): void {
  const { uid, gid } = findServerUser();
  if (uid !== undefined) chownSync(folder, uid, gid);
}

beforeAll(async () => {
  drill = new Drill();
  room = makeRoom();
  if (MISSING.length > 0) return;
  archive = join(room, 'archive');
  mkdirSync(archive);
  chmodSync(drill.folder, 0o755);
  for (const folder of [drill.folder, archive]) share(folder);
  const { uid, gid } = findServerUser();
  const asServer =
    uid === undefined ? '' : `setpriv --reuid=${uid} --regid=${gid} --clear-groups env HOME=${room} `;
  for (const name of PROGRAMS) drill.addProgram(name, `exec ${asServer}'${join(BIN, name)}' "$@"`);

  // The copy has no settings from the command line, and must not allow fewer connections than the original.
  const server = await startServer(room, process.pid, undefined, { ...settings(), max_connections: '100' });
  await withClient(server, (client) => client.query('create database permitry'));
  const port = await findFreePort();
  const restored = new URL(databaseUrl(server, 'permitry'));
  restored.port = String(port);
  env = {
    SERVER_URL: server,
    PERMITRY_DATABASE_URL: databaseUrl(server, 'permitry'),
    PERMITRY_KEY_ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    RESTORED_URL: restored.href,
    RESTORED_PORT: String(port),
    WAL_ARCHIVE: archive,
    PORT: String(await findFreePort()),
  };
  await drill.serve([], env);
});
afterAll(async () => {
  const pid = join(drill.folder, 'restored', 'postmaster.pid');
  if (existsSync(pid)) process.kill(Number(readFileSync(pid, 'utf8').split('\n')[0]), 'SIGQUIT');
  await drill.close();
  stopServer(room);
});

const left = MISSING.length > 0 ? ` (left out: there is no ${MISSING.join(', ')})` : '';

test.skipIf(MISSING.length > 0)(
  `the PostgreSQL drill works as pasted, and shows what it promises${left}`,
  async () => {
    expect(BLOCKS).toHaveLength(7);
    const [everyNight = '', moment = '', ...afterTheLoss] = BLOCKS;
    const [used, open] = [await drill.approve(), await drill.approve()];
    await drill.run(everyNight, env);
    await drill.use(used);
    const point = (await drill.run(`${moment}\necho "$POINT"`, env)).trim();
    await drill.use(open);

    const said = await drill.run(afterTheLoss.join('\n'), {
      ...env,
      POINT: point,
      USED_PERMIT: used,
      OPEN_PERMIT: open,
    });
    expect(said).toContain('1 unused approval revoked');
    expect(said).toContain('Revoked 3 keys');
    expect(said).toMatch(/"reason":"already_used".*"reason":"revoked".*"authorizes":true.*"consumed":true/s);
    expect(said).toMatch(/valid {2}restored\.jsonl.*continues from the head in --since/s);
    expect(said).toMatch(/INVALID {2}restored\.jsonl.*Record \d+ reports a restore from a backup/s);
    expect(said).toMatch(/another history, as expected/);
  },
);
