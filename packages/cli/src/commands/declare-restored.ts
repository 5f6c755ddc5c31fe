import { type Command, Option } from 'commander';
import type { DeclareRestoredFlags } from '../actions/declare-restored.ts';
import { databaseOption, examples, jsonOption } from '../command-options.ts';

const actions = () => import('../actions/declare-restored.ts');

export function addDeclareRestoredCommand(program: Command): void {
  program
    .command('declare-restored')
    .summary('say that a PostgreSQL database was put back to an older state')
    .description(
      'To be run before any gate serves a PostgreSQL database that was restored from a dump, a base backup or a point in time, or taken over by a standby that was behind. Approvals that may have been used since are taken back, people are signed out, and every project is stopped until you start it.',
    )
    .addOption(databaseOption())
    .addOption(
      new Option(
        '--revoke-keys',
        'end every API key and user token: none that was revoked comes back',
      ).conflicts('keepKeys'),
    )
    .addOption(
      new Option('--keep-keys', 'keep them: those revoked since are alive again').conflicts('nothingLost'),
    )
    .addOption(
      new Option(
        '--nothing-lost',
        'only for a database that the newest state was carried into while all gates were stopped (pg_upgrade, a planned copy): nothing is taken back',
      ).conflicts('revokeKeys'),
    )
    .addOption(jsonOption())
    .addHelpText('after', examples('permitry declare-restored --revoke-keys'))
    .action(async (flags: DeclareRestoredFlags) => (await actions()).declareRestored(flags));
}
