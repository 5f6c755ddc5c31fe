import type { Command } from 'commander';
import type { DivergenceFlags, ShadowFlags } from '../actions/policy-shadow.ts';
import { type AdminFlags, adminCommand, examples } from '../command-options.ts';
import { wholeNumber } from '../input/whole-number.ts';

const actions = () => import('../actions/policy-shadow.ts');

export function addPolicyShadowCommands(policy: Command): void {
  const shadow = policy
    .command('shadow')
    .summary('a second policy, asked beside the one in force and never acted on')
    .description('A second policy, asked beside the one in force and never acted on.')
    .addHelpText('after', examples('permitry policy shadow set draft.yaml'));

  adminCommand(shadow, 'set', 'set the shadow policy, from the next request on')
    .argument('<file>', 'YAML or JSON; - for stdin')
    .option('--if-match <hash>', 'only while this one is the shadow')
    .addHelpText('after', examples('permitry policy shadow set draft.yaml'))
    .action(async (file: string, flags: ShadowFlags) => (await actions()).set(file, flags));

  adminCommand(shadow, 'show', 'print the shadow policy as JSON')
    .addHelpText('after', examples('permitry policy shadow show > shadow.json'))
    .action(async (flags: AdminFlags) => (await actions()).show(flags));

  adminCommand(shadow, 'divergences', 'what it would have decided otherwise')
    .option('--limit <n>', 'list so many of the newest, 200 at most', wholeNumber(1, 200), 20)
    .addHelpText('after', examples('permitry policy shadow divergences'))
    .action(async (flags: DivergenceFlags) => (await actions()).divergences(flags));

  adminCommand(shadow, 'remove', 'end it, and forget what it found')
    .addHelpText('after', examples('permitry policy shadow remove'))
    .action(async (flags: AdminFlags) => (await actions()).remove(flags));

  adminCommand(policy, 'promote-shadow', 'put the shadow policy in force, and end the shadow')
    .option('--if-match <hash>', 'only while this one is the shadow')
    .addHelpText('after', examples('permitry policy promote-shadow'))
    .action(async (flags: ShadowFlags) => (await actions()).promote(flags));
}
