import type { Config } from '@permitry/server';
import { type Command, Option } from 'commander';
import { assertKeysDecided } from '../backup-file/tell-restored.ts';
import { CommandFailure, usage } from '../command-failure.ts';
import { examples, jsonOption } from '../command-options.ts';
import { OPERATOR } from '../open-gate.ts';
import { printJson } from '../printing/print.ts';
import { createProgressLine } from '../printing/progress-line.ts';
import { counted, paint } from '../printing/say.ts';
import { readSettings } from '../read-settings.ts';

const AFTER_HELP = `
Stop the server first. Everything moves: projects, people and their sessions,
policies, requests, permits, audit logs with their seals, signing keys, secrets.
If the move is interrupted, run it again: it continues. Until it is done,
neither the directory nor the database can be served; afterwards, only the
database. Use the settings of the gate on PostgreSQL, which must include
PERMITRY_KEY_ENCRYPTION_KEY.

To go back, stop all gates on the database and run: permitry move --undo. If the
gate may have been served from the database, the directory is then treated as a
restored copy (see permitry restore --help): start each project yourself.
`;

export function addMoveCommand(program: Command): void {
  program
    .command('move')
    .summary('move a gate from a data directory to a PostgreSQL database')
    .description(
      'Move a gate from a data directory to an empty PostgreSQL database. Use it when one gate is no longer enough, or when you already operate PostgreSQL.',
    )
    .addOption(new Option('--from <dir>', 'the data directory').makeOptionMandatory())
    .addOption(new Option('--to <url>', 'the database URL without its password (env: PERMITRY_DATABASE_URL)'))
    .addOption(new Option('--undo', 'move back to the directory'))
    .addOption(
      new Option('--revoke-keys', 'with --undo: revoke every API key and access token').conflicts('keepKeys'),
    )
    .option('--keep-keys', 'with --undo: keep them; keys revoked since the move work again')
    .addOption(jsonOption())
    .addHelpText(
      'after',
      AFTER_HELP + examples('permitry move --from ./permitry-data --to postgres://gate@db1/permitry'),
    )
    .action(move);
}

interface MoveFlags {
  from: string;
  to?: string;
  undo?: true;
  revokeKeys?: true;
  keepKeys?: true;
  json?: true;
}

async function move(flags: MoveFlags): Promise<void> {
  const { MoveError } = await import('@permitry/server/ops');
  const config = await readSettings({ database: flags.to, json: flags.json });
  try {
    await (flags.undo ? goBack(flags, config) : goOver(flags, config));
  } catch (error) {
    if (!(error instanceof MoveError)) throw error;
    throw new CommandFailure(error.reason === 'damaged' ? 1 : 2, error.message, {
      cause: error,
      code: error.reason === 'no_gate' ? 'no_gate' : 'refused',
    });
  }
}

async function goOver({ from, json, ...flags }: MoveFlags, config: Config): Promise<void> {
  const { issuerOfDirectory } = await import('@permitry/server');
  const { moveGate } = await import('@permitry/server/ops');
  const { databaseUrl } = config;
  if (!databaseUrl) throw usage('Name the database with --to or PERMITRY_DATABASE_URL.');
  if (flags.revokeKeys || flags.keepKeys) throw usage('--revoke-keys and --keep-keys work only with --undo.');
  const began = performance.now();
  const progress = createMoveProgress();
  const moved = await moveGate({
    directory: from,
    database: { url: databaseUrl.reveal(), shown: databaseUrl.shown },
    signingKeys: config.signingKeys,
    issuer: issuerOfDirectory({ ...config, dataDir: from }),
    operator: OPERATOR,
    onMoved: progress.rows,
    onChecked: progress.checked,
  }).finally(progress.clear);
  const seconds = (performance.now() - began) / 1000;
  if (json) {
    return printJson({
      from,
      to: databaseUrl.shown,
      already: moved.already,
      rows: moved.rows,
      seconds: Math.round(seconds * 10) / 10,
      projects: moved.projects.map(({ id, name, head }) => ({
        id,
        name,
        seq: head?.seq ?? 0,
        hash: head?.hash ?? null,
      })),
    });
  }
  const what = moved.already
    ? `${from} was already moved to ${databaseUrl.shown}.`
    : `${paint('green', 'Moved')} ${from} to ${databaseUrl.shown}: ${counted(moved.rows, 'row')} in ${seconds.toFixed(1)} s. Every audit log verifies there.`;
  process.stdout.write(`${what}
Serve it with: permitry serve --database ${databaseUrl.shown}
No server starts on ${from} now. Keep it until you are sure. To go back, see: permitry move --help
`);
}

async function goBack(flags: MoveFlags, config: Config): Promise<void> {
  const { issuerOfDirectory } = await import('@permitry/server');
  const { adoptCopy, readMovedMark, undoMove } = await import('@permitry/server/ops');
  const { from, json } = flags;
  const mark = readMovedMark(from);
  if (mark?.state === 'moved') assertKeysDecided(flags);
  const { databaseUrl } = config;
  const issuer = issuerOfDirectory({ ...config, dataDir: from });
  const { tookOver } = await undoMove({
    directory: from,
    database: databaseUrl && { url: databaseUrl.reveal(), shown: databaseUrl.shown },
    signingKeys: config.signingKeys,
    issuer,
    async takeOver(withGate) {
      await adoptCopy({
        dataDir: from,
        issuer,
        revokeKeys: flags.revokeKeys === true,
        operator: OPERATOR,
        withGate: (_there, work) => withGate(work),
      });
    },
  });
  if (json) return printJson({ from, taken_over: tookOver });
  process.stdout.write(
    tookOver
      ? `The gate is in ${from} again, as a restored copy: unused approvals were revoked, and every project is stopped.\nChanges made in the database are not included. Once you have reviewed a project, start it with: permitry project start --data ${from}\n`
      : `The gate is in ${from} again. Nothing was served from the database.\n`,
  );
  if (!databaseUrl) process.stderr.write('permitry: warning: make sure that no gate serves the database.\n');
}

/** Shows one line on a terminal, and elsewhere one line for each table and project. */
function createMoveProgress() {
  const line = createProgressLine();
  const say = (text: string) => {
    if (!process.stderr.isTTY) process.stderr.write(`permitry: ${text}\n`);
  };
  return {
    rows({ table, done, total }: { table: string; done: number; total: number }): void {
      line.show(() => `${table} ${Math.floor((done / Math.max(total, 1)) * 100)} % …`);
      if (done === total) say(`${table}: ${counted(total, 'row')}`);
    },
    checked(project: string): void {
      line.show(() => `the audit log of ${project} verifies …`);
      say(`the audit log of ${project} verifies`);
    },
    clear: () => line.clear(),
  };
}
