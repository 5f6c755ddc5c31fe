import { type Command, Option } from 'commander';
import type { MigrateFlags } from '../actions/migrate.ts';
import { databaseOption, examples, jsonOption } from '../command-options.ts';

const actions = () => import('../actions/migrate.ts');

export function addMigrateCommand(program: Command): void {
  program
    .command('migrate')
    .summary('bring the schema of a PostgreSQL database up to date')
    .description(
      'Brings the schema of a PostgreSQL database up to date, beside gates of the release before, which serve on. A gate that starts does the same, unless PERMITRY_MIGRATE_AT_START is false. A data directory is brought up to date whenever it is opened.',
    )
    .addOption(databaseOption())
    .addOption(new Option('--status', 'only say which schema there is, and which is needed'))
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
Exit codes of --status: 0 up to date; 3 out of date, or empty; 1 a problem, as a
database that cannot be reached, or that only newer releases may serve; 2 usage.
`,
    )
    .addHelpText('after', examples('permitry migrate --status', 'permitry migrate'))
    .action(async (flags: MigrateFlags) => (await actions()).migrate(flags));
}
