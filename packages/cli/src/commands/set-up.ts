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
      'Creates the link by which the owner of the first project chooses a password, while nobody can sign in. It works once, for 24 hours, and replaces the link before.',
    )
    .option('--base-url <url>', 'the address people and agents use (PERMITRY_BASE_URL)')
    .addHelpText('after', examples('permitry set-up --data /var/lib/permitry'))
    .action(setUp);
}

/** Works beside a running gate or without one. */
async function setUp(flags: SettingFlags): Promise<void> {
  const url = await withGate(flags, ({ gate }, { makeSetUpLink }) => makeSetUpLink(gate));
  if (url === null) {
    throw refused(
      'This gate is set up already: sign in, or ask an owner or admin for an invitation.',
      'conflict',
    );
  }
  if (flags.json) printJson({ set_up_url: url });
  else process.stdout.write(`${setUpBox(url, process.stdout.columns || 80)}\n`);
}
