import type {
  PolicySchema,
  ShadowDivergencesSchema,
  ShadowPolicySchema,
  Static,
} from '@permitry/protocol/schemas';
import type { Command } from 'commander';
import { atProject } from '../at-project.ts';
import { refused } from '../command-failure.ts';
import { type AdminFlags, adminCommand, examples } from '../command-options.ts';
import { wholeNumber } from '../input/parse-argument.ts';
import { printJson, printTable } from '../printing/print.ts';
import { counted, shortTime } from '../printing/say.ts';
import { columnsOfDifference, said } from '../simulation/print-differences.ts';

type Shadow = Static<typeof ShadowPolicySchema>;
type ShadowFlags = AdminFlags & { ifMatch?: string };

const PATH = '/policies/shadow';

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
    .action(set);

  adminCommand(shadow, 'show', 'print the shadow policy as JSON')
    .addHelpText('after', examples('permitry policy shadow show > shadow.json'))
    .action(show);

  adminCommand(shadow, 'divergences', 'what it would have decided otherwise')
    .option('--limit <n>', 'list so many of the newest, 200 at most', wholeNumber(1, 200), 20)
    .addHelpText('after', examples('permitry policy shadow divergences'))
    .action(divergences);

  adminCommand(shadow, 'remove', 'end it, and forget what it found')
    .addHelpText('after', examples('permitry policy shadow remove'))
    .action(remove);

  adminCommand(policy, 'promote-shadow', 'put the shadow policy in force, and end the shadow')
    .option('--if-match <hash>', 'only while this one is the shadow')
    .addHelpText('after', examples('permitry policy promote-shadow'))
    .action(promote);
}

async function set(file: string, { ifMatch, ...flags }: ShadowFlags): Promise<void> {
  const { readCheckedPolicy } = await import('../policy-file/read-checked-policy.ts');
  const { printFindings } = await import('../policy-file/print-findings.ts');
  const read = await readCheckedPolicy(file, flags);
  if (read === null) return;
  const {
    hash,
    since,
    warnings = [],
  } = await atProject(flags, ({ ask }) =>
    ask<Shadow>('PUT', PATH, { body: read.document, headers: { 'if-match': ifMatch } }),
  );
  const located = warnings.map(({ path, message }) => read.locate(path, message));
  if (flags.json) return printJson({ hash, since, warnings: located });
  printFindings(file, [], located);
  process.stdout.write(
    `${hash} is asked beside the policy in force since ${since}.\nSee: permitry policy shadow divergences\n`,
  );
}

async function show(flags: AdminFlags): Promise<void> {
  const { id: _id, ...shadow } = await atProject(flags, ({ ask }) => ask<Shadow>('GET', PATH));
  if (flags.json) return printJson(shadow);
  const { hash, since, created_by: by, diverged, evaluated, policy } = shadow;
  process.stderr.write(`${hash}, since ${since}, by ${by}: ${diverged} of ${evaluated} diverged\n`);
  printJson(policy);
}

async function divergences({ limit, ...flags }: AdminFlags & { limit: number }): Promise<void> {
  const report = await atProject(flags, ({ ask }) =>
    ask<Static<typeof ShadowDivergencesSchema>>('GET', `${PATH}/divergences`, { query: { limit } }),
  );
  if (flags.json) return printJson(report);
  const { since, evaluated, diverged, groups, failures, data } = report;
  process.stdout.write(
    `Since ${since} the shadow was asked about ${counted(evaluated, 'intent')} and would have decided ${diverged.toLocaleString('en')} otherwise.\n`,
  );
  if (groups.length > 0) {
    process.stdout.write('\n');
    printTable(
      groups.map(({ in_force: from, shadow: to, ...rest }) => ({ from, to, ...rest })),
      columnsOfDifference,
      '',
    );
  }
  for (const { rule, count } of failures) {
    process.stdout.write(`The condition of "${rule}" failed ${counted(count, 'time')}.\n`);
  }
  if (data.length === 0) return;
  process.stdout.write('\n');
  printTable(
    data,
    [
      { title: 'AT', text: ({ at }) => shortTime(at) },
      { title: 'INTENT', text: ({ intent_id }) => intent_id },
      { title: 'IN FORCE', text: ({ in_force }) => said(in_force), shrinks: true },
      { title: 'SHADOW', text: ({ shadow }) => said(shadow), shrinks: true },
      { title: 'IS', text: ({ direction }) => direction },
    ],
    '',
  );
}

async function remove(flags: AdminFlags): Promise<void> {
  await atProject(flags, ({ ask }) => ask('DELETE', PATH));
  if (flags.json) return printJson({ removed: true });
  process.stdout.write('There is no shadow policy any more.\n');
}

/** Two steps, in this order: if the second one fails, the shadow policy is the same as the active one. */
async function promote(flags: ShadowFlags): Promise<void> {
  const { version, hash } = await atProject(flags, async ({ ask }) => {
    const shadow = await ask<Shadow>('GET', PATH);
    if (flags.ifMatch !== undefined && flags.ifMatch !== shadow.hash) {
      throw refused(`The shadow is ${shadow.hash} by now; nothing was put in force.`, 'conflict');
    }
    const put = await ask<Static<typeof PolicySchema>>('PUT', '/policies', { body: shadow.policy });
    await ask('DELETE', PATH, { headers: { 'if-match': shadow.hash } }).catch((error: { code?: string }) => {
      // Meanwhile somebody set another one, or ended it. Theirs stays as it is.
      if (!['precondition_failed', 'not_found'].includes(error.code ?? '')) throw error;
    });
    return put;
  });
  if (flags.json) return printJson({ version, hash });
  process.stdout.write(`Version ${version} is in force: ${hash}\n`);
}
