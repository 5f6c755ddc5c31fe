import { type Command, Option } from 'commander';
import type { AddFlags } from '../actions/project.ts';
import { type AdminFlags, adminCommand, examples, gateCommand } from '../command-options.ts';
import { wholeNumber } from '../input/whole-number.ts';

const actions = () => import('../actions/project.ts');

export function addProjectCommands(program: Command): void {
  const project = program
    .command('project')
    .summary('projects, and their stop switch')
    .description('Projects, and their stop switch.')
    .addHelpText('after', examples('permitry project list'));

  gateCommand(project, 'add', 'add a project; it has no keys and agents yet')
    .argument('<name>', 'as people will know it')
    .addOption(
      new Option('--mode <mode>', 'test: one key may ask and approve. live: people decide. For good.')
        .choices(['test', 'live'])
        .makeOptionMandatory(),
    )
    .requiredOption('--owner <email>', 'e-mail address of its owner')
    .addHelpText('after', examples('permitry project add Refunds --mode live --owner ann@example.org'))
    .action(async (name: string, flags: AddFlags) => (await actions()).add(name, flags));

  gateCommand(project, 'list', 'list all projects')
    .addHelpText('after', examples('permitry project list --json'))
    .action(async (flags: AdminFlags) => (await actions()).list(flags));

  adminCommand(project, 'stop', 'refuse every create, verify and consume of a project, at once')
    .addHelpText('after', examples('permitry project stop --project Refunds'))
    .action(async (flags: AdminFlags) => (await actions()).stop(flags));

  adminCommand(project, 'start', 'end the stop of a project')
    .addHelpText('after', examples('permitry project start --project Refunds'))
    .action(async (flags: AdminFlags) => (await actions()).start(flags));

  adminCommand(project, 'retention', 'set or show after how many days texts about people are erased')
    .argument(
      '[days]',
      '0 keeps them for ever, default does as PERMITRY_RETENTION_DAYS says; left out: shows it',
      parseRetention,
    )
    .addHelpText('after', examples('permitry project retention 365 --project Refunds'))
    .action(async (days: number | 'default' | undefined, flags: AdminFlags) =>
      (await actions()).retention(days === 'default' ? null : days, flags),
    );

  adminCommand(project, 'rate-limit', 'set or show how many requests a minute a project accepts')
    .argument(
      '[per-minute]',
      '0 is any number, default does as PERMITRY_RATE_LIMIT_PER_MINUTE says; left out: shows it',
      parseRateLimit,
    )
    .addHelpText('after', examples('permitry project rate-limit 2000 --project Refunds'))
    .action(async (perMinute: number | 'default' | undefined, flags: AdminFlags) =>
      (await actions()).rateLimit(perMinute === 'default' ? null : perMinute, flags),
    );
}

function parseRateLimit(text: string): number | 'default' {
  return text === 'default' ? text : wholeNumber(0, 1_000_000)(text);
}

function parseRetention(text: string): number | 'default' {
  return text === 'default' ? text : wholeNumber(0, 36_500)(text);
}
