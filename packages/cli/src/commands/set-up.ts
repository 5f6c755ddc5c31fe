import type { Command } from 'commander';
import { refused } from '../command-failure.ts';
import { examples, gateCommand } from '../command-options.ts';
import { setUpBox } from '../first-credentials/set-up-box.ts';
import { withGate } from '../open-gate.ts';
import { printJson } from '../printing/print.ts';
import type { SettingFlags } from '../read-settings.ts';

export function addSetUpCommand(program: Command): void {
  gateCommand(program, 'set-up', 'create the link that sets up the first account')
    .description(
      'Create the link with which the owner of the first project chooses a password. Use it while nobody can sign in. The link works once, for 24 hours, and replaces the previous one.',
    )
    .option('--base-url <url>', 'the address that people and agents use (env: PERMITRY_BASE_URL)')
    .addHelpText('after', examples('permitry set-up --data /var/lib/permitry'))
    .action(setUp);
}

/** Works beside a running gate or without one. */
async function setUp(flags: SettingFlags): Promise<void> {
  const url = await withGate(flags, ({ gate }, { makeSetUpLink }) => makeSetUpLink(gate));
  if (url === null) {
    throw refused(
      'This gate is already set up. Sign in, or ask an owner or admin for an invitation.',
      'conflict',
    );
  }
  if (flags.json) printJson({ set_up_url: url });
  else process.stdout.write(`${setUpBox(url, process.stdout.columns || 80)}\n`);
}
