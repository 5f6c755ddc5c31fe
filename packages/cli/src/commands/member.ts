import { ROLES, type Role } from '@permitry/protocol';
import { Argument, type Command, Option } from 'commander';
import type { AddFlags, ResetFlags } from '../actions/member.ts';
import { type AdminFlags, adminCommand, examples, gateCommand } from '../command-options.ts';

const actions = () => import('../actions/member.ts');

export function addMemberCommands(program: Command): void {
  const member = program
    .command('member')
    .summary('people of a project and their roles')
    .description('People of a project and their roles.')
    .addHelpText('after', examples('permitry member add bob@example.org --role approver'));

  adminCommand(member, 'add', 'make a person a member')
    .argument('<email>')
    .addOption(new Option('--role <role>', 'what they may do').choices([...ROLES]).makeOptionMandatory())
    .addHelpText('after', examples('permitry member add bob@example.org --role approver'))
    .action(async (email: string, flags: AddFlags) => (await actions()).add(email, flags));

  adminCommand(member, 'list', 'list the members of a project')
    .addHelpText('after', examples('permitry member list'))
    .action(async (flags: AdminFlags) => (await actions()).list(flags));

  adminCommand(member, 'role', 'give a member another role, from the next request on')
    .argument('<email>')
    .addArgument(new Argument('<role>').choices([...ROLES]))
    .addHelpText('after', examples('permitry member role bob@example.org admin'))
    .action(async (email: string, role: Role, flags: AdminFlags) =>
      (await actions()).role(email, role, flags),
    );

  adminCommand(member, 'invite-link', 'make a link by which a person becomes a member, for a week')
    .argument('<email>')
    .addOption(new Option('--role <role>', 'what they may do').choices([...ROLES]).makeOptionMandatory())
    .addHelpText('after', examples('permitry member invite-link bob@example.org --role approver'))
    .action(async (email: string, flags: AddFlags) => (await actions()).inviteLink(email, flags));

  gateCommand(member, 'reset-link', 'make a link by which a member sets a password, for a day')
    .argument('<email>')
    .option('--drop-second-factor', 'for whoever lost the authenticator app and the recovery codes')
    .addHelpText('after', examples('permitry member reset-link bob@example.org'))
    .action(async (email: string, flags: ResetFlags) => (await actions()).resetLink(email, flags));

  adminCommand(member, 'remove', 'take a member out, with the secret keys they answer for')
    .argument('<email>')
    .addHelpText('after', examples('permitry member remove bob@example.org'))
    .action(async (email: string, flags: AdminFlags) => (await actions()).remove(email, flags));
}
