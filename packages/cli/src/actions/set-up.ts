import { makeSetUpLink } from '@permitry/server';
import { CommandFailure } from '../command-failure.ts';
import { setUpBox } from '../first-credentials/set-up-box.ts';
import { withGate } from '../open-gate-for-admin.ts';
import { printJson } from '../printing/print-json.ts';
import type { SettingFlags } from '../read-settings.ts';

export type SetUpFlags = SettingFlags & { json?: true };

/** Beside a running gate or without one. */
export async function setUp(flags: SetUpFlags): Promise<void> {
  const url = await withGate(flags, (gate) => makeSetUpLink(gate));
  if (url === null) {
    throw new CommandFailure(
      1,
      'This gate is set up already: sign in, or ask an owner or admin for an invitation.',
      { code: 'conflict' },
    );
  }
  if (flags.json) printJson({ set_up_url: url });
  else process.stdout.write(`${setUpBox(url, process.stdout.columns || 80)}\n`);
}
