import { type Command, Option } from 'commander';
import type { MoveFlags } from '../actions/move.ts';
import { examples, jsonOption } from '../command-options.ts';

const actions = () => import('../actions/move.ts');

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
    .action(async (flags: MoveFlags) => (await actions()).move(flags));
}
