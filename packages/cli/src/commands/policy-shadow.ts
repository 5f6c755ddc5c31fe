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
import { counted, fullTime, shortTime } from '../printing/say.ts';
import { columnsOfDifference, said } from '../simulation/print-differences.ts';

type Shadow = Static<typeof ShadowPolicySchema>;
type ShadowFlags = AdminFlags & { ifMatch?: string };

const PATH = '/policies/shadow';

export function addPolicyShadowCommands(policy: Command): void {
  const shadow = policy
    .command('shadow')
    .summary('manage the shadow policy')
    .description(
      'Manage the shadow policy: a second policy that evaluates every new request without affecting it. Use it to test a draft on real requests before you publish it.',
    )
    .addHelpText('after', examples('permitry policy shadow set draft.yaml'));

  adminCommand(shadow, 'set', 'set the shadow policy', 'It evaluates requests from the next one on.')
    .argument('<file>', 'YAML or JSON; - for stdin')
    .option('--if-match <hash>', 'only if the shadow policy has this hash')
    .addHelpText('after', examples('permitry policy shadow set draft.yaml'))
    .action(set);

  adminCommand(shadow, 'show', 'print the shadow policy as JSON')
    .addHelpText('after', examples('permitry policy shadow show > shadow.json'))
    .action(show);

  adminCommand(shadow, 'divergences', 'list requests that the shadow policy would have decided differently')
    .option('--limit <n>', 'how many of the latest to list, at most 200', wholeNumber(1, 200), 20)
    .addHelpText('after', examples('permitry policy shadow divergences'))
    .action(divergences);

  adminCommand(shadow, 'remove', 'remove the shadow policy and its differences')
    .addHelpText('after', examples('permitry policy shadow remove'))
    .action(remove);

  adminCommand(policy, 'promote-shadow', 'publish the shadow policy and remove the shadow')
    .option('--if-match <hash>', 'only if the shadow policy has this hash')
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
    `${hash} is the shadow policy since ${fullTime(since)}.\nSee differences with: permitry policy shadow divergences\n`,
  );
}

async function show(flags: AdminFlags): Promise<void> {
  const { id: _id, ...shadow } = await atProject(flags, ({ ask }) => ask<Shadow>('GET', PATH));
  if (flags.json) return printJson(shadow);
  const { hash, since, created_by: by, diverged, evaluated, policy } = shadow;
  process.stderr.write(
    `${hash}, since ${fullTime(since, process.stderr)}, set by ${by}: ${diverged} of ${counted(evaluated, 'request')} differ\n`,
  );
  printJson(policy);
}

async function divergences({ limit, ...flags }: AdminFlags & { limit: number }): Promise<void> {
  const report = await atProject(flags, ({ ask }) =>
    ask<Static<typeof ShadowDivergencesSchema>>('GET', `${PATH}/divergences`, { query: { limit } }),
  );
  if (flags.json) return printJson(report);
  const { since, evaluated, diverged, groups, failures, data } = report;
  process.stdout.write(
    `Since ${fullTime(since)}, the shadow policy evaluated ${counted(evaluated, 'request')} and would have decided ${diverged.toLocaleString('en')} differently.\n`,
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
      { title: 'REQUEST', text: ({ intent_id }) => intent_id },
      { title: 'ACTIVE', text: ({ in_force }) => said(in_force), shrinks: true },
      { title: 'SHADOW', text: ({ shadow }) => said(shadow), shrinks: true },
      { title: 'CHANGE', text: ({ direction }) => direction },
    ],
    '',
  );
}

async function remove(flags: AdminFlags): Promise<void> {
  await atProject(flags, ({ ask }) => ask('DELETE', PATH));
  if (flags.json) return printJson({ removed: true });
  process.stdout.write('The shadow policy was removed.\n');
}

/**
 * Publishes first and removes the shadow policy second. If the removal fails, the shadow policy is the same as the
 * active one.
 */
async function promote(flags: ShadowFlags): Promise<void> {
  const { version, hash } = await atProject(flags, async ({ ask }) => {
    const shadow = await ask<Shadow>('GET', PATH);
    if (flags.ifMatch !== undefined && flags.ifMatch !== shadow.hash) {
      throw refused(`The shadow policy is now ${shadow.hash}. Nothing was published.`, 'conflict');
    }
    const put = await ask<Static<typeof PolicySchema>>('PUT', '/policies', { body: shadow.policy });
    await ask('DELETE', PATH, { headers: { 'if-match': shadow.hash } }).catch((error: { code?: string }) => {
      // Another person replaced or removed the shadow policy in the meantime. Their change stays.
      if (!['precondition_failed', 'not_found'].includes(error.code ?? '')) throw error;
    });
    return put;
  });
  if (flags.json) return printJson({ version, hash });
  process.stdout.write(`Version ${version} is active: ${hash}\n`);
}
