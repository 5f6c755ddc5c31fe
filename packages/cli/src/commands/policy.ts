import type { PolicySchema, Static } from '@permitry/protocol/schemas';
import type { Command } from 'commander';
import { atProject } from '../at-project.ts';
import { type AdminFlags, adminCommand, examples, jsonOption } from '../command-options.ts';
import { printFindings } from '../policy-file/print-findings.ts';
import { printJson } from '../printing/print.ts';
import { counted, paint, sayVisibly } from '../printing/say.ts';
import { addPolicyShadowCommands } from './policy-shadow.ts';
import { addPolicySimulateCommand } from './policy-simulate.ts';

type Policy = Static<typeof PolicySchema>;

export function addPolicyCommands(program: Command): void {
  const policy = program
    .command('policy')
    .summary('manage the policy of a project')
    .description('Manage the policy of a project: check, simulate and publish it.')
    .addHelpText('after', examples('permitry policy check policy.yaml'));

  policy
    .command('check')
    .summary('check a policy file offline')
    .description(
      'Check a policy file offline: its form, every expression and every pattern. Exit code 1 if there are problems; each is printed with its position.',
    )
    .argument('<file>', 'YAML or JSON; - for stdin')
    .addOption(jsonOption())
    .addHelpText('after', examples('permitry policy check policy.yaml'))
    .action(check);

  adminCommand(
    policy,
    'put',
    'publish a policy',
    'It is active from the next request on. To see its effect first, run: permitry policy simulate.',
  )
    .argument('<file>', 'YAML or JSON; - for stdin')
    .option('--if-match <hash>', 'only if the active policy has this hash')
    .addHelpText('after', examples('permitry policy put policy.yaml --project Refunds'))
    .action(put);

  adminCommand(policy, 'show', 'print the active policy as JSON')
    .addHelpText('after', examples('permitry policy show > policy.json'))
    .action(show);

  addPolicySimulateCommand(policy);
  addPolicyShadowCommands(policy);
}

async function check(file: string, flags: { json?: true }): Promise<void> {
  const { checkPolicyFile } = await import('../policy-file/check-policy-file.ts');
  const { readPolicyFile } = await import('../policy-file/read-policy-file.ts');
  const { problems, warnings, hash, rules } = checkPolicyFile(await readPolicyFile(file));
  if (problems.length > 0) process.exitCode = 1;
  if (flags.json) return printJson({ valid: problems.length === 0, hash, problems, warnings });
  printFindings(file, problems, warnings);
  if (hash !== null)
    process.stdout.write(
      `${paint('green', 'valid')}  ${sayVisibly(file)}: ${counted(rules, 'rule')}, ${hash}\n`,
    );
}

async function put(file: string, { ifMatch, ...flags }: AdminFlags & { ifMatch?: string }): Promise<void> {
  const { readCheckedPolicy } = await import('../policy-file/read-checked-policy.ts');
  const read = await readCheckedPolicy(file, flags);
  if (read === null) return;
  const policy = await atProject(flags, ({ ask }) =>
    ask<Policy>('PUT', '/policies', { body: read.document, headers: { 'if-match': ifMatch } }),
  );
  const { version, hash, created_at, warnings = [] } = policy;
  const located = warnings.map(({ path, message }) => read.locate(path, message));
  if (flags.json) return printJson({ version, hash, created_at, warnings: located });
  printFindings(file, [], located);
  process.stdout.write(`Version ${version} is active: ${hash}\n`);
}

async function show(flags: AdminFlags): Promise<void> {
  const { id: _id, ...shown } = await atProject(flags, ({ ask }) => ask<Policy>('GET', '/policies'));
  if (!flags.json) process.stderr.write(`Version ${shown.version}, ${shown.hash}, by ${shown.created_by}\n`);
  printJson(flags.json ? shown : shown.policy);
}
