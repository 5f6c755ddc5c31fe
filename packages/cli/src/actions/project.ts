import type { ProjectMode } from '@permitry/protocol';
import {
  createProject,
  getRetention,
  listProjects,
  type Project,
  setRateLimit,
  setRetention,
  startProject,
  stopProject,
} from '@permitry/server';
import type { AdminFlags } from '../command-options.ts';
import { findProject } from '../find-project.ts';
import { withGate } from '../open-gate-for-admin.ts';
import { OPERATOR } from '../operator.ts';
import { counted } from '../printing/counted.ts';
import { printJson } from '../printing/print-json.ts';
import { printTable } from '../printing/print-table.ts';
import { shortTime } from '../printing/short-time.ts';

export type AddFlags = AdminFlags & { mode: ProjectMode; owner: string };

export async function add(name: string, flags: AddFlags): Promise<void> {
  const { project, owner } = await withGate(flags, (gate) =>
    createProject(gate, OPERATOR, { name, mode: flags.mode, ownerEmail: flags.owner }),
  );
  if (flags.json) return printJson({ ...toJson(project), owner_email: owner.email });
  process.stdout.write(`Made project ${project.id} ("${project.name}", ${project.mode} mode, owner ${owner.email}).
Next: permitry agent add NAME --project ${project.id}
      permitry keys create --kind agent --agent NAME --project ${project.id}
`);
}

export async function list(flags: AdminFlags): Promise<void> {
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

/** @param wanted Null: as the gate's own setting says; undefined: what is so is shown. */
export async function retention(wanted: number | null | undefined, flags: AdminFlags): Promise<void> {
  const { project, days } = await withGate(flags, async (gate) => {
    const found = await findProject(gate, flags.project);
    const projectId = found.id;
    if (wanted !== undefined) await setRetention(gate, OPERATOR, { projectId, days: wanted });
    return { project: found, days: await getRetention(gate, OPERATOR, { projectId }) };
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

/** @param wanted Null: as the gate's own setting says; undefined: what is so is shown. */
export async function rateLimit(wanted: number | null | undefined, flags: AdminFlags): Promise<void> {
  const project = await withGate(flags, async (gate) => {
    const found = await findProject(gate, flags.project);
    if (wanted === undefined) return found;
    await setRateLimit(gate, OPERATOR, { projectId: found.id, perMinute: wanted });
    return { ...found, rateLimitPerMinute: wanted };
  });
  const { id, name, rateLimitPerMinute: perMinute } = project;
  if (flags.json) return printJson({ project_id: id, rate_limit_per_minute: perMinute });
  const rule =
    perMinute === null
      ? 'as many requests a minute as PERMITRY_RATE_LIMIT_PER_MINUTE says'
      : perMinute === 0
        ? 'any number of requests'
        : `${counted(perMinute, 'request')} a minute`;
  process.stdout.write(`Project "${name}" accepts ${rule}.\n`);
}

export const stop = (flags: AdminFlags) => switchTo(flags, stopProject);
export const start = (flags: AdminFlags) => switchTo(flags, startProject);

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
