import { type Command, InvalidArgumentError, Option } from 'commander';
import type { SimulateFlags } from '../actions/policy-simulate.ts';
import { adminCommand, examples } from '../command-options.ts';
import { wholeNumber } from '../input/whole-number.ts';

const FAILING = ['change', 'looser', 'failure'];

function readFailOn(text: string, before: unknown): string[] {
  if (!FAILING.includes(text)) throw new InvalidArgumentError(`It is one of ${FAILING.join(', ')}.`);
  return [...(Array.isArray(before) ? before : []), text];
}

export function addPolicySimulateCommand(policy: Command): void {
  adminCommand(policy, 'simulate', 'what a policy would change, on stored or given intents')
    .argument('[file]', 'the draft, YAML or JSON; - for stdin; left out: in force')
    .option('--from <time>', 'stored intents made then or later (ISO 8601)')
    .option('--to <time>', 'stored intents made before')
    .option('--action <pattern>', "as in match.action, e.g. 'payments.*'")
    .addOption(
      new Option('--status <status>', 'stored intents that stand so').choices([
        'pending',
        'approved',
        'denied',
        'expired',
        'resolved',
      ]),
    )
    .option('--limit <n>', 'the newest so many', wholeNumber(1, 1_000_000_000))
    .option('--intents <file>', 'given intents instead, as JSON Lines; - for stdin')
    .option('--fail-on <what>', 'exit code 1 on change, looser or failure; repeatable', readFailOn)
    .option('--url <url>', 'ask this gate, with the key in PERMITRY_API_KEY')
    .addHelpText(
      'after',
      examples(
        'permitry policy simulate draft.yaml --from 2026-11-01',
        'permitry policy simulate draft.yaml --fail-on looser --json',
      ),
    )
    .action(async (file: string | undefined, flags: SimulateFlags) =>
      (await import('../actions/policy-simulate.ts')).simulate(file, flags),
    );
}
