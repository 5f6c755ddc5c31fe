/**
 * The log is altered, bypassing the gate: in the database of a stopped server and in an export. Verification names the
 * change.
 */
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { checkChain, readRecords } from './checks/check-chain.ts';
import { type Cast, makeCast } from './gate/cast.ts';
import { permitry, startGate } from './gate/gate-process.ts';
import { type Random, seededRandom } from './random.ts';
import { assertNoFindings, type Scenario } from './scenario.ts';
import { Chronicle } from './stories/chronicle.ts';
import { TIMELESS_STORIES } from './stories/intent-stories.ts';
import { tellAll } from './stories/tell-all.ts';
import { inWorkplace } from './workplace.ts';

export const alteredLog: Scenario = {
  name: 'altered-log',
  summary:
    'bytes are flipped; records are removed, exchanged or cut off; older copies are put back: each is reported',
  rounds: 3,
  run: ({ rounds, seed, short, say }) =>
    inWorkplace('log', async (folder) => {
      const random = seededRandom(seed);
      const log = await writeLog(folder, random);
      for (let round = 1; round <= rounds; round += 1) {
        const exports = chosen(EXPORTS, short, random);
        const databases = chosen(DATABASES, short, random);
        const findings = [
          ...(await tryExports(exports, log, folder, random)),
          ...(await tryDatabases(databases, log, folder, random)),
        ];
        assertNoFindings(findings, `round ${round}`);
        say(
          `round ${round}/${rounds}: ${exports.length} altered exports, ${databases.length} altered databases`,
        );
      }
      return `${rounds} rounds of alterations of a log of ${log.lines.length - 1} records, each named`;
    }),
};

interface Log {
  cast: Cast;
  /** The data directory of the stopped server. */
  dataDir: string;
  /** An older copy of the data directory. */
  olderDir: string;
  /** Lines of the export. Index 0 is the header, and index N has the record with seq N. */
  lines: string[];
  /** Lines of an older export. */
  olderLines: string[];
  /** `SEQ:HASH` of the last record. */
  head: string;
}

async function writeLog(folder: string, random: Random): Promise<Log> {
  const dataDir = join(folder, 'data');
  const olderDir = join(folder, 'older');
  const cast = await makeCast(dataDir);
  const work = async (name: string) => {
    const gate = await startGate(dataDir);
    const chronicle = new Chronicle();
    let over = false;
    const { client } = gate;
    // These stories leave no intent that could expire later and extend the altered log.
    const stories = TIMELESS_STORIES;
    const told = tellAll({
      client,
      cast,
      chronicle,
      random,
      name,
      narrators: 4,
      stories,
      isOver: () => over,
    });
    await delay(300);
    over = true;
    await told;
    const { head, findings } = await checkChain(client, cast, { dataDir, folder });
    assertNoFindings([...chronicle.surprises, ...findings], 'before anything was altered');
    await gate.stop();
    return { head, lines: readFileSync(join(folder, 'audit.jsonl'), 'utf8').trimEnd().split('\n') };
  };
  const { lines: olderLines } = await work('a');
  cpSync(dataDir, olderDir, { recursive: true });
  return { cast, dataDir, olderDir, olderLines, ...(await work('b')) };
}

/** The expected finding: the seq of the first bad record, or just that it is not valid against the saved head. */
interface Altered<T> {
  altered: T;
  seq: number;
  sinceHead?: true;
}

type Alteration<T> = readonly [what: string, alter: (log: Log, random: Random) => T];

const EXPORTS: readonly Alteration<Altered<string[]>>[] = [
  [
    'a byte flipped',
    ({ lines }, random) => {
      const seq = anywhere(lines, random);
      return { seq, altered: lines.with(seq, flipped(lines[seq] ?? '', random)) };
    },
  ],
  [
    'a record removed',
    ({ lines }, random) => {
      const seq = anywhere(lines, random);
      // The following record is now in the place of the removed one, and is the first that does not fit.
      return { seq: seq + 1, altered: lines.toSpliced(seq, 1) };
    },
  ],
  [
    'two records exchanged',
    ({ lines }, random) => {
      const seq = anywhere(lines, random);
      return { seq: seq + 1, altered: lines.with(seq, lines[seq + 1] ?? '').with(seq + 1, lines[seq] ?? '') };
    },
  ],
  [
    'the tail cut off',
    ({ lines }, random) => {
      const seq = anywhere(lines, random);
      return { seq, altered: lines.slice(0, seq) };
    },
  ],
  ['an older one', ({ olderLines }) => ({ seq: olderLines.length, altered: olderLines, sinceHead: true })],
];

async function tryExports(
  alterations: typeof EXPORTS,
  log: Log,
  folder: string,
  random: Random,
): Promise<string[]> {
  const findings: string[] = [];
  for (const [what, alter] of alterations) {
    const { altered, seq, sinceHead } = alter(log, random);
    const file = join(folder, 'altered.jsonl');
    writeFileSync(file, `${altered.join('\n')}\n`);
    const verdict = await verifyFile(file, sinceHead ? log.head : undefined);
    // A line that is no longer a record, or has another number, is identified only by its line number.
    if (verdict.seq !== seq && verdict.line !== lineOf(seq))
      findings.push(`${what} in an export: ${verdict.text} instead of seq ${seq}`);
  }
  return findings;
}

/**
 * Alters the data directory and returns the seq of the first bad record. Undefined: only a saved head shows the change.
 */
const DATABASES: readonly Alteration<(dataDir: string) => number | undefined>[] = [
  [
    'a byte flipped',
    (log, random) => (dataDir) => {
      const seq = anywhere(log.lines, random);
      const { id } = recordOf(log, seq);
      // Changes the random part of an event's id, wherever it is in the file.
      replaceInFiles(dataDir, id, `${id.slice(0, -1)}${id.endsWith('0') ? '1' : '0'}`);
      return seq;
    },
  ],
  [
    'a record removed',
    (log, random) => (dataDir) => {
      const seq = anywhere(log.lines, random);
      inDatabase(dataDir, (table) => table.remove(recordOf(log, seq).id));
      return seq + 1;
    },
  ],
  [
    'two records exchanged',
    (log, random) => (dataDir) => {
      const seq = anywhere(log.lines, random);
      inDatabase(dataDir, (table) => table.exchange(recordOf(log, seq).id, recordOf(log, seq + 1).id));
      return seq;
    },
  ],
  [
    'the tail cut off',
    (log, random) => (dataDir) => {
      const seq = anywhere(log.lines, random);
      inDatabase(dataDir, (table) => {
        for (let gone = seq; gone < log.lines.length; gone += 1) table.remove(recordOf(log, gone).id);
      });
      return seq;
    },
  ],
  [
    'an older copy',
    ({ olderDir }) =>
      (dataDir) => {
        rmSync(dataDir, { recursive: true });
        cpSync(olderDir, dataDir, { recursive: true });
        return undefined;
      },
  ],
];

async function tryDatabases(
  alterations: typeof DATABASES,
  log: Log,
  folder: string,
  random: Random,
): Promise<string[]> {
  const findings: string[] = [];
  const dataDir = join(folder, 'altered');
  for (const [what, alter] of alterations) {
    rmSync(dataDir, { recursive: true, force: true });
    mkdirSync(dataDir);
    cpSync(log.dataDir, dataDir, { recursive: true });
    const seq = alter(log, random)(dataDir);
    const gate = await startGate(dataDir);
    const { first_bad: bad } = (await gate.client.get(
      `/v1/projects/${log.cast.projectId}/audit/verify`,
      log.cast.secretKey,
    )) as { first_bad?: { seq: number | null; problem: string } };
    if (bad?.seq !== seq)
      findings.push(
        `${what} in the database: audit/verify names ${JSON.stringify(bad)} instead of seq ${seq}`,
      );
    const file = join(folder, 'altered.jsonl');
    rmSync(file, { force: true });
    const where = ['--data', dataDir, '--project', log.cast.projectId];
    const exported = await permitry(['audit', 'export', ...where, '--out', file]);
    // The gate may refuse to export a broken log. If there is an export, it must not verify.
    if (exported.code === 0) {
      const verdict = await verifyFile(file, log.head);
      const due = seq ?? log.olderLines.length;
      if (verdict.seq !== due)
        findings.push(`${what} in the database: its export: ${verdict.text} instead of seq ${due}`);
    }
    await gate.kill();
  }
  return findings;
}

/** Returns all of them. In the short form, it returns two, different ones each time. */
function chosen<T>(all: readonly T[], short: boolean, random: Random): readonly T[] {
  if (!short) return all;
  const from = random.between(0, all.length - 1);
  return [...all, ...all].slice(from, from + 2);
}

/** The header is line 1. */
function lineOf(seq: number): number {
  return seq + 1;
}

/** A line number with records before and after it. */
function anywhere(lines: readonly string[], random: Random): number {
  return random.between(5, lines.length - 5);
}

function recordOf({ lines }: Log, seq: number): { id: string } {
  const record = readRecords(`\n${lines[seq] ?? ''}`)[0];
  if (!record) throw new Error(`there is no record ${seq}`);
  return record;
}

/** The line with one bit of any character flipped. */
function flipped(line: string, random: Random): string {
  const at = random.between(0, line.length - 1);
  return `${line.slice(0, at)}${String.fromCharCode(line.charCodeAt(at) ^ 1)}${line.slice(at + 1)}`;
}

async function verifyFile(
  file: string,
  since: string | undefined,
): Promise<{ seq: number | null | undefined; line: number | undefined; text: string }> {
  const { stdout } = await permitry([
    'audit',
    'verify',
    file,
    '--json',
    ...(since ? ['--since', since] : []),
  ]);
  const { first_bad: bad } = JSON.parse(stdout) as { first_bad?: { seq: number | null; line: number } };
  return { seq: bad?.seq, line: bad?.line, text: JSON.stringify(bad ?? 'valid') };
}

function replaceInFiles(dataDir: string, from: string, to: string): void {
  let found = 0;
  for (const name of readdirSync(dataDir).filter((file) => file.startsWith('permitry.sqlite'))) {
    const bytes = readFileSync(join(dataDir, name));
    for (let at = bytes.indexOf(from); at >= 0; at = bytes.indexOf(from, at + 1)) {
      bytes.write(to, at);
      found += 1;
    }
    writeFileSync(join(dataDir, name), bytes);
  }
  if (found === 0) throw new Error(`the database does not contain ${from} as text`);
}

/** The table with the events, recognised by their ids instead of its name. */
interface EventTable {
  remove(id: string): void;
  exchange(one: string, other: string): void;
}

function inDatabase(dataDir: string, work: (table: EventTable) => void): void {
  const database = new DatabaseSync(join(dataDir, 'permitry.sqlite'));
  try {
    database.exec('pragma foreign_keys = off');
    work(findEventTable(database));
  } finally {
    database.close();
  }
}

function findEventTable(database: DatabaseSync): EventTable {
  const tables = database.prepare("select name from sqlite_schema where type = 'table'").all();
  for (const { name } of tables) {
    const columns = database.prepare(`pragma table_info("${String(name)}")`).all();
    const holder = columns.find(({ name: column }) =>
      database
        .prepare(
          `select 1 from "${String(name)}" where "${String(column)}" like 'evt\\_%' escape '\\' limit 1`,
        )
        .get(),
    );
    if (!holder) continue;
    const idColumn = `"${String(holder.name)}"`;
    const table = `"${String(name)}"`;
    return {
      remove: (id) => change(database, `delete from ${table} where ${idColumn} = ?`, [id]),
      // Swaps the content of two rows: everything except the key that orders them.
      exchange(one, other) {
        const content = columns.filter(
          ({ pk, type }) => pk === 0 && type !== 'INTEGER' && type !== 'integer',
        );
        const names = content
          .map(({ name: column }) => `"${String(column)}"`)
          .filter((column) => column !== idColumn);
        const read = (id: string) =>
          database.prepare(`select * from ${table} where ${idColumn} = ?`).get(id) ?? {};
        const [first, second] = [read(one), read(other)];
        const write = (id: string, from: typeof first) =>
          change(
            database,
            `update ${table} set ${names.map((column) => `${column} = ?`).join()} where ${idColumn} = ?`,
            [...names.map((column) => from[column.slice(1, -1)] ?? null), id],
          );
        write(one, second);
        write(other, first);
      },
    };
  }
  throw new Error('no table holds the ids of events');
}

function change(
  database: DatabaseSync,
  sql: string,
  values: (string | number | bigint | null | Uint8Array)[],
): void {
  const { changes } = database.prepare(sql).run(...values);
  if (Number(changes) !== 1) throw new Error(`${sql} changed ${changes} rows`);
}
