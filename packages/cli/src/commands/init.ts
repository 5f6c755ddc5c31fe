import { type Command, Option } from 'commander';
import type { InitFlags } from '../actions/init.ts';
import { databaseOption, dataOption, examples, jsonOption } from '../command-options.ts';
import { FIRST_PROJECT } from '../first-project.ts';

const actions = () => import('../actions/init.ts');

export function addInitCommand(program: Command): void {
  program
    .command('init')
    .summary('make the first project of an empty data directory')
    .description('Makes the first project of an empty data directory and shows its keys, once.')
    .addOption(dataOption())
    .addOption(databaseOption())
    .addOption(
      new Option('--mode <mode>', 'test: one key may ask and approve. live: people decide. For good.')
        .choices(['test', 'live'])
        .makeOptionMandatory(),
    )
    .option('--project <name>', 'name of the project', FIRST_PROJECT.project)
    .option('--owner <email>', 'e-mail address of its owner', FIRST_PROJECT.owner)
    .addOption(jsonOption())
    .addHelpText(
      'after',
      examples('permitry init --data ./permitry-data --mode live --owner ann@example.org'),
    )
    .action(async (flags: InitFlags) => (await actions()).init(flags));
}
