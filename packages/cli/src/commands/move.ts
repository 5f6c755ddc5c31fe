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
Stop the server first. Everything is carried over: projects, people and their
sessions, policies, intents, permits, audit logs with their seals, signing keys,
secrets. Cut off at any point, it is run again and goes on; until it is done
neither place can be served, and afterwards only the database. The settings are
those of the gate on PostgreSQL: PERMITRY_KEY_ENCRYPTION_KEY is needed.

Back again, when all gates on the database are stopped: permitry move --undo. If
it may have been served from there, the directory is then treated as a copy put
back (see: permitry restore --help): projects are stopped until you start them.
`;

export function addMoveCommand(program: Command): void {
  program
    .command('move')
    .summary('carry a gate from a data directory into a PostgreSQL database')
    .description('Carries a gate from a data directory into an empty PostgreSQL database.')
    .addOption(new Option('--from <dir>', 'the data directory').makeOptionMandatory())
    .addOption(new Option('--to <url>', 'the database, named without its password (PERMITRY_DATABASE_URL)'))
    .addOption(new Option('--undo', 'go back to the directory'))
    .addOption(
      new Option('--revoke-keys', 'with --undo: end every API key and user token').conflicts('keepKeys'),
    )
    .option('--keep-keys', 'with --undo: keep them; those revoked since the move are alive again')
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
  if (!databaseUrl) throw usage('Name the database by --to or PERMITRY_DATABASE_URL.');
  if (flags.revokeKeys || flags.keepKeys) throw usage('--revoke-keys and --keep-keys are for --undo.');
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
    ? `${from} was moved to ${databaseUrl.shown} already.`
    : `${paint('green', 'Moved')} ${from} to ${databaseUrl.shown}: ${counted(moved.rows, 'row')} in ${seconds.toFixed(1)} s. Every audit log verifies there.`;
  process.stdout.write(`${what}
Serve it from there: permitry serve --database ${databaseUrl.shown}
No server starts on ${from} any more; keep it until you are sure, and see: permitry move --help
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
      ? `${from} is the gate's place again, as a copy put back: unused approvals were taken back, and every project is stopped.\nNothing that was done in the database is here. Start what you have looked at: permitry project start --data ${from}\n`
      : `${from} is the gate's place as before; nothing was served from the database.\n`,
  );
  if (!databaseUrl)
    process.stderr.write('permitry: warning: see to it that no gate serves the database any more.\n');
}

/** One line on a terminal. Elsewhere, one line for each table and project. */
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
