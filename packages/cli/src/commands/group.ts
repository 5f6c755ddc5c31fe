import type { Command } from 'commander';
import { type AdminFlags, adminCommand, examples } from '../command-options.ts';

const actions = () => import('../actions/group.ts');

export function addGroupCommands(program: Command): void {
  const group = program
    .command('group')
    .summary('named sets of members, for policies')
    .description('Named sets of members, for policies.')
    .addHelpText('after', examples('permitry group set finance ann@example.org bob@example.org'));

  adminCommand(group, 'set', 'make a group, or give it another set of members')
    .argument('<name>', 'such as finance')
    .argument('[emails...]', 'its members, all of them')
    .addHelpText('after', examples('permitry group set finance ann@example.org bob@example.org'))
    .action(async (name: string, emails: string[], flags: AdminFlags) =>
      (await actions()).set(name, emails, flags),
    );

  adminCommand(group, 'list', 'list the groups of a project')
    .addHelpText('after', examples('permitry group list'))
    .action(async (flags: AdminFlags) => (await actions()).list(flags));

  adminCommand(group, 'remove', 'remove a group')
    .argument('<name>')
    .addHelpText('after', examples('permitry group remove finance'))
    .action(async (name: string, flags: AdminFlags) => (await actions()).remove(name, flags));
}
