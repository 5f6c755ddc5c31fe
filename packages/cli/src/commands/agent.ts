import { RISK_TIERS } from '@permitry/protocol';
import { type Command, Option } from 'commander';
import type { AddFlags } from '../actions/agent.ts';
import { type AdminFlags, adminCommand, examples } from '../command-options.ts';

const actions = () => import('../actions/agent.ts');

export function addAgentCommands(program: Command): void {
  const agent = program
    .command('agent')
    .summary('registered agents')
    .description('Registered agents.')
    .addHelpText('after', examples('permitry agent add refund-bot'));

  adminCommand(agent, 'add', 'register an agent; it needs a key before it can ask for anything')
    .argument('<name>', 'unique in the project')
    .addOption(new Option('--risk-tier <tier>', 'its requests are never below it').choices([...RISK_TIERS]))
    .option('--framework <name>', 'what it is built with')
    .option('--owner <email>', 'the member who answers for it (default: every owner of the project does)')
    .addHelpText(
      'after',
      examples('permitry agent add refund-bot --owner ann@example.org --risk-tier medium'),
    )
    .action(async (name: string, flags: AddFlags) => (await actions()).add(name, flags));

  adminCommand(agent, 'list', 'list the agents of a project, revoked ones as well')
    .addHelpText('after', examples('permitry agent list --json'))
    .action(async (flags: AdminFlags) => (await actions()).list(flags));

  adminCommand(agent, 'owner', 'name the member who answers for an agent')
    .argument('<id|name>')
    .argument('<email>', 'of a member; lifts the end that keys have because the owner before left')
    .addHelpText('after', examples('permitry agent owner refund-bot ann@example.org'))
    .action(async (name: string, email: string, flags: AdminFlags) =>
      (await actions()).setOwner(name, email, flags),
    );

  adminCommand(agent, 'pause', 'hold everything an agent does, from the next request on')
    .argument('<id|name>')
    .addHelpText('after', examples('permitry agent pause refund-bot'))
    .action(async (name: string, flags: AdminFlags) => (await actions()).pause(name, flags));

  adminCommand(agent, 'resume', 'end the pause of an agent')
    .argument('<id|name>')
    .addHelpText('after', examples('permitry agent resume refund-bot'))
    .action(async (name: string, flags: AdminFlags) => (await actions()).resume(name, flags));

  adminCommand(agent, 'revoke', 'end an agent for good')
    .argument('<id|name>')
    .addHelpText('after', examples('permitry agent revoke refund-bot'))
    .action(async (name: string, flags: AdminFlags) => (await actions()).revoke(name, flags));
}
