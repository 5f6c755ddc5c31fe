import { type Command, Option } from 'commander';
import type { RestoreFlags } from '../actions/restore.ts';
import { dataOption, examples, jsonOption } from '../command-options.ts';
import { addExpectationOptions } from './backup.ts';

const actions = () => import('../actions/restore.ts');

export function addRestoreCommand(program: Command): void {
  addExpectationOptions(
    program
      .command('restore')
      .summary('make a gate out of a backup')
      .description(
        'Makes a gate out of a backup, in a directory that is empty or not there yet. All is verified first. Approvals that were not used when the backup was taken are taken back, and every project is stopped until you start it.',
      )
      .argument('[file]', 'as permitry backup wrote it')
      .addOption(dataOption()),
  )
    .addOption(
      new Option(
        '--revoke-keys',
        'end every API key and user token: none that was revoked comes back',
      ).conflicts('keepKeys'),
    )
    .option('--keep-keys', 'keep them: those revoked after the backup are alive again')
    .option('--in-place', 'no file: the directory itself is a copy put back, such as a disk snapshot')
    .addOption(jsonOption())
    .addHelpText('after', examples('permitry restore monday.backup --data ./restored --revoke-keys'))
    .action(async (file: string | undefined, flags: RestoreFlags) => (await actions()).restore(file, flags));
}
