import type { Command } from 'commander';
import type { SetUpFlags } from '../actions/set-up.ts';
import { examples, gateCommand } from '../command-options.ts';

const actions = () => import('../actions/set-up.ts');

export function addSetUpCommand(program: Command): void {
  gateCommand(program, 'set-up', 'create the link that sets up the first account')
    .description(
      'Creates the link by which the owner of the first project chooses a password, while nobody can sign in. It works once, for 24 hours, and replaces the link before.',
    )
    .option('--base-url <url>', 'the address people and agents use (PERMITRY_BASE_URL)')
    .addHelpText('after', examples('permitry set-up --data /var/lib/permitry'))
    .action(async (flags: SetUpFlags) => (await actions()).setUp(flags));
}
