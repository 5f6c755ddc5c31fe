import type { ProjectMode } from '@permitry/protocol';
import { createProject, listProjects, type Project, startProject, stopProject } from '@permitry/server';
import { type Command, Option } from 'commander';
import { type AdminFlags, adminCommand, examples, gateCommand } from '../command-options.ts';
import { findProject } from '../find-project.ts';
import { withGate } from '../open-gate-for-admin.ts';
import { OPERATOR } from '../operator.ts';
import { printJson } from '../print-json.ts';
import { printTable } from '../print-table.ts';
import { shortTime } from '../short-time.ts';

type AddFlags = AdminFlags & { mode: ProjectMode; owner: string };

export function addProjectCommands(program: Command): void {
  const project = program
    .command('project')
    .summary('projects, and their stop switch')
    .description('Projects, and their stop switch.');

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
    .action((flags: AdminFlags) => switchTo(flags, stopProject));

  adminCommand(project, 'start', 'end the stop of a project')
    .addHelpText('after', examples('permitry project start --project Refunds'))
    .action((flags: AdminFlags) => switchTo(flags, startProject));
}

async function add(name: string, flags: AddFlags): Promise<void> {
  const { project, owner } = await withGate(flags, (gate) =>
    createProject(gate, OPERATOR, { name, mode: flags.mode, ownerEmail: flags.owner }),
  );
  if (flags.json) return printJson({ ...toJson(project), owner_email: owner.email });
  process.stdout.write(`Made project ${project.id} ("${project.name}", ${project.mode} mode, owner ${owner.email}).
Next: permitry agent add NAME --project ${project.id}
      permitry keys create --kind agent --agent NAME --project ${project.id}
`);
}

async function list(flags: AdminFlags): Promise<void> {
  const projects = await withGate(flags, (gate) => listProjects(gate, OPERATOR));
  if (flags.json) return printJson(projects.map(toJson));
  printTable(
    projects,
    [
      { title: 'ID', text: ({ id }) => id },
      { title: 'NAME', text: ({ name }) => name, shrinks: true },
      { title: 'MODE', text: ({ mode }) => mode },
      { title: 'STATE', text: stateOf },
      { title: 'MADE', text: ({ createdAt }) => shortTime(createdAt) },
    ],
    'There is no project yet; make one with: permitry init --mode test',
  );
}

async function switchTo(flags: AdminFlags, operation: typeof stopProject): Promise<void> {
  const project = await withGate(flags, async (gate) => {
    const { id: projectId } = await findProject(gate, flags.project);
    return operation(gate, OPERATOR, { projectId });
  });
  if (flags.json) return printJson(toJson(project));
  process.stdout.write(`Project "${project.name}" is ${stateOf(project)}.\n`);
}

function stateOf({ stoppedAt }: Project): string {
  return stoppedAt === null ? 'running' : 'stopped';
}

function toJson({ id, name, mode, stoppedAt, createdAt }: Project) {
  return { id, name, mode, stopped: stoppedAt !== null, stopped_at: stoppedAt, created_at: createdAt };
}
