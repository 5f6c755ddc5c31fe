import type { ProjectMode } from '@permitry/protocol';
import type { RetentionSchema, Static, StoppedSchema } from '@permitry/protocol/schemas';
import type { Project } from '@permitry/server';
import { type Command, Option } from 'commander';
import { atProject } from '../at-project.ts';
import { type AdminFlags, adminCommand, examples, gateCommand } from '../command-options.ts';
import { wholeNumber } from '../input/parse-argument.ts';
import { OPERATOR, withGate } from '../open-gate.ts';
import { printJson, printTable } from '../printing/print.ts';
import { counted, shortTime } from '../printing/say.ts';

type Retention = Static<typeof RetentionSchema>;

export function addProjectCommands(program: Command): void {
  const project = program
    .command('project')
    .summary('manage projects, and stop them in an emergency')
    .description('Manage projects, and stop them in an emergency.')
    .addHelpText('after', examples('permitry project list'));

  gateCommand(project, 'add', 'add a project', 'Agents and keys are added afterwards.')
    .argument('<name>', 'name of the project')
    .addOption(
      new Option(
        '--mode <mode>',
        'test: one key may request and approve; live: people decide; cannot be changed',
      )
        .choices(['test', 'live'])
        .makeOptionMandatory(),
    )
    .requiredOption('--owner <email>', 'email address of its owner')
    .addHelpText('after', examples('permitry project add Refunds --mode live --owner ann@example.org'))
    .action(add);

  gateCommand(project, 'list', 'list all projects')
    .addHelpText('after', examples('permitry project list --json'))
    .action(list);

  adminCommand(
    project,
    'stop',
    'stop a project in an emergency',
    'New requests and every verification or use of a permit are refused at once, for all agents and keys.',
  )
    .addHelpText('after', examples('permitry project stop --project Refunds'))
    .action((flags: AdminFlags) => switchTo('stop', flags));

  adminCommand(project, 'start', 'start a stopped project')
    .addHelpText('after', examples('permitry project start --project Refunds'))
    .action((flags: AdminFlags) => switchTo('start', flags));

  adminCommand(
    project,
    'retention',
    'set or show the number of days after which texts about people are erased',
  )
    .argument(
      '[days]',
      '0 keeps them forever; "default" uses PERMITRY_RETENTION_DAYS; without it, shows the setting',
      parseRetention,
    )
    .addHelpText('after', examples('permitry project retention 365 --project Refunds'))
    .action(retention);

  adminCommand(project, 'rate-limit', 'set or show the rate limit of a project')
    .argument(
      '[per-minute]',
      'API requests per minute; 0 for no limit; "default" uses PERMITRY_RATE_LIMIT_PER_MINUTE; without it, shows the setting',
      parseRateLimit,
    )
    .addHelpText('after', examples('permitry project rate-limit 2000 --project Refunds'))
    .action(rateLimit);
}

function parseRateLimit(text: string): number | 'default' {
  return text === 'default' ? text : wholeNumber(0, 1_000_000)(text);
}

function parseRetention(text: string): number | 'default' {
  return text === 'default' ? text : wholeNumber(0, 36_500)(text);
}

type AddFlags = AdminFlags & { mode: ProjectMode; owner: string };

async function add(name: string, { mode, owner: ownerEmail, ...flags }: AddFlags): Promise<void> {
  const { project, owner } = await withGate(flags, ({ gate }, { createProject }) =>
    createProject(gate, OPERATOR, { name, mode, ownerEmail }),
  );
  if (flags.json) return printJson({ ...toJson(project), owner_email: owner.email });
  process.stdout.write(`Created project ${project.id} ("${project.name}", ${project.mode} mode, owner ${owner.email}).
Next: permitry agent add NAME --project ${project.id}
      permitry keys create --kind agent --agent NAME --project ${project.id}
`);
}

async function list(flags: AdminFlags): Promise<void> {
  const projects = await withGate(flags, ({ gate }, { listProjects }) => listProjects(gate, OPERATOR));
  if (flags.json) return printJson(projects.map(toJson));
  printTable(
    projects,
    [
      { title: 'ID', text: ({ id }) => id },
      { title: 'NAME', text: ({ name }) => name, shrinks: true },
      { title: 'MODE', text: ({ mode }) => mode },
      { title: 'STATE', text: ({ stoppedAt }) => (stoppedAt === null ? 'running' : 'stopped') },
      { title: 'CREATED', text: ({ createdAt }) => shortTime(createdAt) },
    ],
    'There is no project yet. Create one with: permitry init --mode test',
  );
}

/** @param wanted Default: shows the current value. */
async function retention(wanted: number | 'default' | undefined, flags: AdminFlags): Promise<void> {
  const { project, days } = await atProject(flags, async ({ project, ask }) => {
    const body = { days: wanted === 'default' ? null : wanted };
    const asked =
      wanted === undefined
        ? ask<Retention>('GET', '/retention')
        : ask<Retention>('PUT', '/retention', { body });
    return { project, ...(await asked) };
  });
  if (flags.json) return printJson({ project_id: project.id, retention_days: days });
  const rule =
    days === null
      ? 'as long as PERMITRY_RETENTION_DAYS says'
      : days === 0
        ? 'forever'
        : `for ${counted(days, 'day')}; the gate erases older ones within the hour`;
  process.stdout.write(`Project "${project.name}" keeps texts ${rule}.\n`);
}

/**
 * Shows or sets the rate limit. No API path sets it, because the limit keeps a project's owners within what the gate
 * can handle.
 */
async function rateLimit(wanted: number | 'default' | undefined, flags: AdminFlags): Promise<void> {
  const { id, name, perMinute } = await atProject(
    flags,
    async ({ gate, project: { id, name, rateLimitPerMinute } }) => {
      if (wanted === undefined) return { id, name, perMinute: rateLimitPerMinute };
      const { setRateLimit } = await import('@permitry/server');
      const perMinute = wanted === 'default' ? null : wanted;
      await setRateLimit(gate, OPERATOR, { projectId: id, perMinute });
      return { id, name, perMinute };
    },
  );
  if (flags.json) return printJson({ project_id: id, rate_limit_per_minute: perMinute });
  const rule =
    perMinute === null
      ? 'as many API requests per minute as PERMITRY_RATE_LIMIT_PER_MINUTE says'
      : perMinute === 0
        ? 'any number of API requests'
        : `${counted(perMinute, 'API request')} per minute`;
  process.stdout.write(`Project "${name}" accepts ${rule}.\n`);
}

async function switchTo(verb: 'stop' | 'start', flags: AdminFlags): Promise<void> {
  const { project, stopped_at: stoppedAt } = await atProject(flags, async ({ project, ask }) => ({
    project,
    ...(await ask<Static<typeof StoppedSchema>>('POST', `/${verb}`)),
  }));
  if (flags.json) return printJson(toJson({ ...project, stoppedAt }));
  process.stdout.write(`Project "${project.name}" is ${stoppedAt === null ? 'running' : 'stopped'}.\n`);
}

function toJson({ id, name, mode, stoppedAt, createdAt }: Project) {
  return { id, name, mode, stopped: stoppedAt !== null, stopped_at: stoppedAt, created_at: createdAt };
}
