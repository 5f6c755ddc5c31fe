import type { Command } from 'commander';
import { type AdminFlags, examples, gateCommand } from '../command-options.ts';

const actions = () => import('../actions/signing-keys.ts');

export function addSigningKeysCommands(program: Command): void {
  const keys = program
    .command('signing-keys')
    .summary('what permits, receipts and audit heads are signed with')
    .description('What permits, receipts and audit heads are signed with.')
    .addHelpText('after', examples('permitry signing-keys rotate'));

  gateCommand(keys, 'list', 'list the published keys, and which one signs')
    .addHelpText('after', examples('permitry signing-keys list'))
    .action(async (flags: AdminFlags) => (await actions()).list(flags));

  gateCommand(keys, 'rotate', 'sign with the next key; the old one still verifies')
    .addHelpText('after', examples('permitry signing-keys rotate'))
    .action(async (flags: AdminFlags) => (await actions()).rotate(flags));
}
