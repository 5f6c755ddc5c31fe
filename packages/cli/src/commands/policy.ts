import type { Command } from 'commander';
import type { PutFlags } from '../actions/policy.ts';
import { type AdminFlags, adminCommand, examples, jsonOption } from '../command-options.ts';
import { addPolicyShadowCommands } from './policy-shadow.ts';
import { addPolicySimulateCommand } from './policy-simulate.ts';

const actions = () => import('../actions/policy.ts');

export function addPolicyCommands(program: Command): void {
  const policy = program
    .command('policy')
    .summary('the rules of a project')
    .description('The rules of a project.')
    .addHelpText('after', examples('permitry policy check policy.yaml'));

  policy
    .command('check')
    .summary('check a policy file, offline')
    .description(
      'Checks a policy file, offline: its form, every expression, every pattern. Exit code 1 with each problem and its place.',
    )
    .argument('<file>', 'YAML or JSON; - for stdin')
    .addOption(jsonOption())
    .addHelpText('after', examples('permitry policy check policy.yaml'))
    .action(async (file: string, flags: { json?: true }) =>
      (await import('../actions/policy-check.ts')).check(file, flags),
    );

  adminCommand(policy, 'put', 'put a policy in force, from the next request on')
    .argument('<file>', 'YAML or JSON; - for stdin')
    .option('--if-match <hash>', 'only while this one is in force')
    .addHelpText('after', examples('permitry policy put policy.yaml --project Refunds'))
    .action(async (file: string, flags: PutFlags) => (await actions()).put(file, flags));

  adminCommand(policy, 'show', 'print the policy in force as JSON')
    .addHelpText('after', examples('permitry policy show > policy.json'))
    .action(async (flags: AdminFlags) => (await actions()).show(flags));

  addPolicySimulateCommand(policy);
  addPolicyShadowCommands(policy);
}
