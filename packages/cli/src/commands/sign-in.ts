import type { Command } from 'commander';
import type { LoginFlags } from '../actions/sign-in.ts';
import { examples, remoteCommand } from '../command-options.ts';
import { parseDuration } from '../input/parse-duration.ts';
import type { ConnectionFlags } from '../profile/read-profile.ts';

const actions = () => import('../actions/sign-in.ts');

export function addSignInCommands(program: Command): void {
  remoteCommand(program, 'login', 'sign in at a gate, in the browser')
    .description(
      'Shows a link and a code, and signs in once you confirm the code there. The token\nlies in ~/.config/permitry/profiles.json, for you alone. It reads; to decide as\nwell takes --allow-decide, and ends after twelve hours at most.',
    )
    .argument('[url]', 'the gate; else as --url')
    .option('--allow-decide', 'may approve and deny as well, for 12 hours at most')
    .option('--expires-in <time>', 'ends by itself after so long, e.g. 8h', parseDuration(60, 90 * 86_400))
    .option('--name <name>', 'what the sign-in is called on your account page')
    .option('--with-token', 'take a token that exists already, from stdin')
    .option('--no-browser', 'do not try to open the link')
    .addHelpText(
      'after',
      examples(
        'permitry login https://gate.example.org',
        'permitry login --allow-decide --expires-in 4h',
        'permitry login https://gate.example.org --with-token < token',
      ),
    )
    .action(async (url: string | undefined, flags: LoginFlags) => (await actions()).login(url, flags));

  remoteCommand(program, 'logout', 'end the sign-in, here and at the gate')
    .option('--all', 'at every gate')
    .addHelpText('after', examples('permitry logout'))
    .action(async (flags: ConnectionFlags & { all?: true }) => (await actions()).logout(flags));

  remoteCommand(program, 'whoami', 'as whom, where and until when you are signed in')
    .alias('status')
    .addHelpText('after', examples('permitry whoami', 'permitry status --json'))
    .action(async (flags: ConnectionFlags) => (await actions()).whoami(flags));
}
