import { type Command, Option } from 'commander';
import { examples, jsonOption, remoteCommand } from '../command-options.ts';
import type { ConnectionFlags } from '../profile/read-profile.ts';

const actions = () => import('../actions/device.ts');

export function addDeviceCommands(program: Command): void {
  const device = program
    .command('device')
    .summary('a key on this machine that proves who decides')
    .description(
      'Device keys: a key in a file, under a passphrase. Where a request asks for one,\npermitry approve asks for the passphrase and signs exactly what it showed.',
    )
    .addHelpText('after', examples('permitry device enroll', 'permitry device list'));

  remoteCommand(device, 'enroll', 'make a key, and confirm in the browser that it is yours')
    .description(
      'Makes a key under a passphrase that you type here, and shows a link, a code and\nits fingerprint. It counts once you confirm them in the browser.',
    )
    .argument('[url]', 'the gate; else as --url')
    .option('--name <name>', 'what the key is called on your account page')
    .addHelpText('after', examples('permitry device enroll https://gate.example.org'))
    .action(async (url: string | undefined, flags: ConnectionFlags & { name?: string }) =>
      (await actions()).enroll(url, flags),
    );

  remoteCommand(device, 'prove', 'sign one decision, and print the proof session')
    .description(
      'Shows the request, asks for the passphrase, and prints the id of the proof\nsession that your decision then names as proof_session_id. permitry approve does\nall that by itself.',
    )
    .argument('<intent>', 'int_…')
    .addOption(
      new Option('--decision <decision>', 'what is to be decided')
        .choices(['approve', 'deny'])
        .default('approve'),
    )
    .addHelpText('after', examples('permitry device prove int_01kaftx2q8n5m9y0a3v7c1d4ez'))
    .action(async (intent: string, flags: ConnectionFlags & { decision: 'approve' | 'deny' }) =>
      (await actions()).prove(intent, flags),
    );

  device
    .command('list')
    .summary('the keys on this machine')
    .description('The keys on this machine. What counts at a gate, its account page says.')
    .addOption(jsonOption())
    .addHelpText('after', examples('permitry device list --json'))
    .action(async (flags: { json?: true }) => (await actions()).list(flags));

  device
    .command('remove')
    .summary('delete a key from this machine')
    .description('Deletes a key from this machine. Remove it on the account page of the gate as well.')
    .argument('<name|fingerprint>')
    .option('--yes', 'without asking')
    .addOption(jsonOption())
    .addHelpText('after', examples('permitry device remove laptop-7'))
    .action(async (which: string, flags: { yes?: true; json?: true }) =>
      (await actions()).remove(which, flags),
    );
}
