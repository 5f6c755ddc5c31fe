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
    .action(add);

  gateCommand(project, 'list', 'list all projects')
    .addHelpText('after', examples('permitry project list --json'))
    .action(list);

  adminCommand(project, 'stop', 'refuse every create, verify and consume of a project, at once')
    .addHelpText('after', examples('permitry project stop --project Refunds'))
    .action((flags: AdminFlags) => switchTo('stop', flags));

  adminCommand(project, 'start', 'end the stop of a project')
    .addHelpText('after', examples('permitry project start --project Refunds'))
    .action((flags: AdminFlags) => switchTo('start', flags));

  adminCommand(project, 'retention', 'set or show after how many days texts about people are erased')
    .argument(
      '[days]',
      '0 keeps them for ever, default does as PERMITRY_RETENTION_DAYS says; left out: shows it',
      parseRetention,
    )
    .addHelpText('after', examples('permitry project retention 365 --project Refunds'))
    .action(retention);

  adminCommand(project, 'rate-limit', 'set or show how many requests a minute a project accepts')
    .argument(
      '[per-minute]',
      '0 is any number, default does as PERMITRY_RATE_LIMIT_PER_MINUTE says; left out: shows it',
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
  process.stdout.write(`Made project ${project.id} ("${project.name}", ${project.mode} mode, owner ${owner.email}).
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
      { title: 'MADE', text: ({ createdAt }) => shortTime(createdAt) },
    ],
    'There is no project yet; make one with: permitry init --mode test',
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
      ? 'as PERMITRY_RETENTION_DAYS says'
      : days === 0
        ? 'for ever'
        : `for ${counted(days, 'day')}; the server erases older ones within the hour`;
  process.stdout.write(`Project "${project.name}" keeps texts ${rule}.\n`);
}

/** The same for the rate limit. No path sets it, because it keeps a project's owners within what the gate can bear. */
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
      ? 'as many requests a minute as PERMITRY_RATE_LIMIT_PER_MINUTE says'
      : perMinute === 0
        ? 'any number of requests'
        : `${counted(perMinute, 'request')} a minute`;
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
