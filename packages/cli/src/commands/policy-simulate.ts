import { type Command, InvalidArgumentError, Option } from 'commander';
import { refused, usage } from '../command-failure.ts';
import { type AdminFlags, adminCommand, examples } from '../command-options.ts';
import { wholeNumber } from '../input/parse-argument.ts';
import { printJson, printTable } from '../printing/print.ts';
import { createProgressLine } from '../printing/progress-line.ts';
import { counted, paint } from '../printing/say.ts';
import { askServer } from '../simulation/ask-server.ts';
import { columnsOfDifference } from '../simulation/print-differences.ts';
import { readIntents } from '../simulation/read-intents.ts';
import type { Differences, Progress, SimulationQuestion, Summary } from '../simulation/simulation-line.ts';

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
    .action(simulate);
}

type SimulateFlags = AdminFlags & {
  from?: string;
  to?: string;
  action?: string;
  status?: string;
  limit?: number;
  intents?: string;
  failOn?: readonly ('change' | 'looser' | 'failure')[];
  url?: string;
};

async function simulate(file: string | undefined, flags: SimulateFlags): Promise<void> {
  const { readCheckedPolicy } = await import('../policy-file/read-checked-policy.ts');
  const { askDirectory } = await import('../simulation/ask-directory.ts');
  if (file === '-' && flags.intents === '-') {
    throw usage('Standard input is the draft or the intents, not both; give one of them as a file.');
  }
  const draft = file === undefined ? undefined : await readCheckedPolicy(file, flags);
  if (draft === null) return;
  const policy = draft?.document;
  const question = { ...(policy === undefined ? {} : { policy }), ...(await against(flags)) };
  let summary: Summary | undefined;
  const hear = progressShown(flags, (line) => {
    summary = line;
  });
  const asked =
    flags.url === undefined
      ? askDirectory(flags, question, hear)
      : askServer(flags.url, flags.project, question, hear);
  await asked.catch((error: unknown) => {
    throw inWordsOfFlags(error);
  });
  if (!summary) throw refused('The simulation was not finished: its answer has no summary.');
  if (flags.json) printJson(summary);
  else print(summary, policy === undefined);
  if (!summary.complete || fails(summary, flags.failOn ?? [], policy === undefined)) process.exitCode = 1;
}

/** The API names a member (`stored/from: …`) where the command line has a flag. */
function inWordsOfFlags(error: unknown): unknown {
  const [, member, rest] = /^stored\/(\w+)(: .*)/s.exec(error instanceof Error ? error.message : '') ?? [];
  return member === undefined ? error : usage(`--${member}${rest}`, error);
}

async function against(flags: SimulateFlags): Promise<SimulationQuestion> {
  const { from, to, action, status, limit, intents } = flags;
  const chosen = Object.entries({ from, to, action, status, limit });
  const stored = Object.fromEntries(
    chosen.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
  if (intents === undefined) return { stored };
  if (Object.keys(stored).length > 0) {
    throw usage(
      '--intents gives the intents; --from, --to, --action, --status and --limit choose stored ones.',
    );
  }
  return { intents: await readIntents(intents) };
}

function progressShown(
  { json }: SimulateFlags,
  finish: (summary: Summary) => void,
): (line: Progress | Summary | { type: 'started' }) => void {
  const progress = json ? undefined : createProgressLine();
  return (line) => {
    if (line.type === 'progress') progress?.show(() => describeProgress(line));
    if (line.type !== 'summary') return;
    progress?.clear();
    finish(line);
  };
}

function describeProgress(line: Progress): string {
  const percent = line.total === 0 ? 100 : Math.floor((100 * line.scanned) / line.total);
  const [scanned, total, changed] = [line.scanned, line.total, line.changed].map((n) =>
    n.toLocaleString('en'),
  );
  return `${scanned} of ${total} intents (${percent} %), ${changed} change …`;
}

function print(summary: Summary, isInForce: boolean): void {
  const { warnings, evaluated, scanned, skipped, seconds, complete, failures } = summary;
  for (const { path, message } of warnings) {
    process.stdout.write(`${paint('yellow', 'warning')}${path === '' ? '' : ` ${path}`}: ${message}\n`);
  }
  const scannedOf = scanned === evaluated ? '' : `${evaluated.toLocaleString('en')} of `;
  process.stdout.write(`${scannedOf}${counted(scanned, 'intent')} in ${seconds.toFixed(1)} s\n`);
  if (skipped > 0) {
    process.stdout.write(`${skipped.toLocaleString('en')} left out: texts of theirs were erased\n`);
  }
  if (evaluated === 0) process.stdout.write('Nothing was tried: no intent is left to judge.\n');
  else if (isInForce) {
    if (summary.since_made) printDifferences(summary.since_made, 'since they were made');
  } else {
    printDifferences(summary.changes, `from version ${summary.in_force.version}, in force`);
    if (summary.since_made) {
      process.stdout.write(
        `\nAgainst what was said when they were made: ${summary.since_made.changed.toLocaleString('en')} otherwise.\n`,
      );
    }
  }
  for (const { policy, rule, message, count } of failures) {
    const whose = policy === 'draft' && !isInForce ? 'the draft' : 'the policy in force';
    process.stdout.write(
      `${paint('yellow', 'failed')} ${counted(count, 'time')}: the condition of "${rule}" of ${whose}: ${message}\n`,
    );
  }
  if (!complete) process.stdout.write(`${paint('red', 'not finished')}: the time was over.\n`);
}

function printDifferences(
  { changed, stricter, looser, mixed, groups, ungrouped }: Differences,
  since: string,
): void {
  const [all, up, down, both] = [changed, stricter, looser, mixed].map((n) => n.toLocaleString('en'));
  if (changed === 0) {
    process.stdout.write(`Nothing changes ${since}.\n`);
    return;
  }
  process.stdout.write(`${all} change ${since}: ${up} stricter, ${down} looser, ${both} mixed\n\n`);
  printTable(
    groups,
    [...columnsOfDifference, { title: 'FOR INSTANCE', text: ({ samples }) => samples[0] ?? '' }],
    '',
  );
  if (ungrouped > 0) process.stdout.write(`and ${ungrouped.toLocaleString('en')} in further groups\n`);
}

function fails(summary: Summary, on: NonNullable<SimulateFlags['failOn']>, isInForce: boolean): boolean {
  const { changed, looser } = (isInForce ? summary.since_made : undefined) ?? summary.changes;
  const found = {
    change: changed > 0,
    looser: looser > 0,
    failure: summary.failures.some(({ policy }) => policy === 'draft'),
  };
  return on.some((what) => found[what]);
}
