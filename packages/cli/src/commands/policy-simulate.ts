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
  if (!FAILING.includes(text)) throw new InvalidArgumentError(`Must be one of ${FAILING.join(', ')}.`);
  return [...(Array.isArray(before) ? before : []), text];
}

export function addPolicySimulateCommand(policy: Command): void {
  adminCommand(
    policy,
    'simulate',
    'show which decisions a policy would change, on past or given requests',
    'Use it before you publish a draft, or in CI with --fail-on. Nothing is changed.',
  )
    .argument('[file]', 'the draft, YAML or JSON; - for stdin (default: the active policy)')
    .option('--from <time>', 'past requests from this time on (ISO 8601)')
    .option('--to <time>', 'past requests before this time')
    .option('--action <pattern>', "past requests of these actions, such as 'payments.*'")
    .addOption(
      new Option('--status <status>', 'past requests with this status').choices([
        'pending',
        'approved',
        'denied',
        'expired',
        'resolved',
      ]),
    )
    .option('--limit <n>', 'at most this many of the latest past requests', wholeNumber(1, 1_000_000_000))
    .option('--intents <file>', 'use these requests instead, as JSON Lines; - for stdin')
    .option('--fail-on <what>', 'exit code 1 on change, looser or failure (repeatable)', readFailOn)
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
    throw usage('Standard input can hold the draft or the requests, not both. Pass one of them as a file.');
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
  if (!summary) throw refused('The simulation did not finish: the answer of the gate has no summary.');
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
      'Pass --intents, or choose past requests with --from, --to, --action, --status and --limit; not both.',
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
  return `${scanned} of ${total} requests (${percent} %), ${changed} change …`;
}

function print(summary: Summary, isInForce: boolean): void {
  const { warnings, evaluated, scanned, skipped, seconds, complete, failures } = summary;
  for (const { path, message } of warnings) {
    process.stdout.write(`${paint('yellow', 'warning')}${path === '' ? '' : ` ${path}`}: ${message}\n`);
  }
  const scannedOf = scanned === evaluated ? '' : `${evaluated.toLocaleString('en')} of `;
  process.stdout.write(`${scannedOf}${counted(scanned, 'request')} in ${seconds.toFixed(1)} s\n`);
  if (skipped > 0) {
    process.stdout.write(`${skipped.toLocaleString('en')} skipped, because texts were erased\n`);
  }
  if (evaluated === 0) process.stdout.write('Nothing was simulated: no requests match.\n');
  else if (isInForce) {
    if (summary.since_made) printDifferences(summary.since_made, 'since they were created');
  } else {
    printDifferences(summary.changes, `compared with version ${summary.in_force.version}, the active policy`);
    if (summary.since_made) {
      process.stdout.write(
        `\nCompared with the policies at the time: ${summary.since_made.changed.toLocaleString('en')} differ.\n`,
      );
    }
  }
  for (const { policy, rule, message, count } of failures) {
    const whose = policy === 'draft' && !isInForce ? 'the draft' : 'the active policy';
    process.stdout.write(
      `${paint('yellow', 'failed')} ${counted(count, 'time')}: the condition of rule "${rule}" in ${whose}: ${message}\n`,
    );
  }
  if (!complete) process.stdout.write(`${paint('red', 'not finished')}: the time limit was reached.\n`);
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
    [...columnsOfDifference, { title: 'EXAMPLE', text: ({ samples }) => samples[0] ?? '' }],
    '',
  );
  if (ungrouped > 0) process.stdout.write(`and ${ungrouped.toLocaleString('en')} in other groups\n`);
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
