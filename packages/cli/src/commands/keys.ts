import { type Command, Option } from 'commander';
import type { CreateFlags, ListFlags } from '../actions/keys.ts';
import { type AdminFlags, adminCommand, examples } from '../command-options.ts';
import { parseLifetime } from '../input/parse-lifetime.ts';
import { wholeNumber } from '../input/whole-number.ts';

const actions = () => import('../actions/keys.ts');

export function addKeysCommands(program: Command): void {
  const keys = program
    .command('keys')
    .summary('API keys and user tokens')
    .description('API keys and user tokens.')
    .addHelpText('after', examples('permitry keys create --kind agent --agent refund-bot'));

  adminCommand(keys, 'list', 'list the keys of a project, revoked ones as well')
    .option('--owner <email>', 'the user tokens of this person instead, which belong to no project')
    .addHelpText('after', examples('permitry keys list', 'permitry keys list --owner ann@example.org --json'))
    .action(async (flags: ListFlags) => (await actions()).list(flags));

  adminCommand(keys, 'create', 'make a key and show it, once')
    .addOption(
      new Option('--kind <kind>', 'whose key it is')
        .choices(['agent', 'secret', 'verify', 'user'])
        .makeOptionMandatory(),
    )
    .option('--name <name>', 'what people will know it by')
    .option('--agent <id|name>', 'agent keys: the one agent it is')
    .option('--owner <email>', 'secret keys and user tokens: who answers for it')
    .option('--allow-decide', 'user tokens: may approve and deny, for 12 hours at most')
    .option(
      '--allow-manage',
      'user tokens: may change keys, people and policy in test mode, and pause, revoke and stop in both; for 12 hours at most',
    )
    .option('--expires-in <time>', 'such as 30m, 12h, 7d; until revoked when left out', parseLifetime)
    .option('--per-minute <n>', 'requests per minute, below those of the project', wholeNumber(1, 1_000_000))
    .addHelpText(
      'after',
      examples(
        'permitry keys create --kind agent --agent refund-bot',
        'permitry keys create --kind user --owner ann@example.org --allow-decide',
      ),
    )
    .action(async (flags: CreateFlags) => (await actions()).create(flags));

  adminCommand(keys, 'revoke', 'end a key or user token from the next request on, for good')
    .argument('<key-id>', 'as keys list and keys create show it')
    .addHelpText('after', examples('permitry keys revoke key_01m7vsvz60cy387nxk9aen384t'))
    .action(async (keyId: string, flags: AdminFlags) => (await actions()).revoke(keyId, flags));
}
