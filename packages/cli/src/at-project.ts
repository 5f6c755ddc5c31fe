/**
 * Owns how commands reach a project, using the API's paths. A command works on the gate's own storage as its operator,
 * within this process. Or it works at a remote gate as a person.
 */
import type { GateParts, Project } from '@permitry/server';
import type { OperatorDoor, OperatorRequest } from '@permitry/server/operator';
import { allPages } from './all-pages.ts';
import { refused, usage } from './command-failure.ts';
import type { AdminFlags } from './command-options.ts';
import { OPERATOR, withGate } from './open-gate.ts';
import { type ConnectionFlags, openClient } from './profile/open-client.ts';
import { chooseProjects, readMe } from './profile/read-me.ts';

type Ask = OperatorDoor['request'];
type Query = OperatorRequest['query'];

/** One project of a gate. Paths are relative to it. */
export interface AtProject {
  /** The JSON of a successful answer. Throws a refusal, with its `code`. */
  ask: Ask;
  /** All items that a path lists, fetched page by page, in the path's order. */
  list<T>(path: string, query?: Query): Promise<T[]>;
}

/** As `AtProject`, for a gate that this process opened. */
export interface AtOwnProject extends AtProject {
  gate: GateParts;
  project: Project;
}

/** The project that the flags name, of the gate in the data directory or database. */
export function atProject<T>(
  flags: AdminFlags,
  work: (at: AtOwnProject) => Promise<T>,
  outside?: Parameters<typeof withGate>[2],
): Promise<T> {
  return withGate(
    flags,
    async ({ gate }, { listProjects }) => {
      const project = chooseProject(await listProjects(gate, OPERATOR), flags.project);
      return atOwn(gate, (at) => work(at(project)));
    },
    outside,
  );
}

/** The project with this ID or name. Without either, the only project there is. Throws `CommandFailure`. */
export function chooseProject(projects: readonly Project[], idOrName: string | undefined): Project {
  const names = projects.map(({ name }) => `"${name}"`).join(', ');
  if (idOrName === undefined) {
    const [only, ...others] = projects;
    if (only === undefined)
      throw refused('There is no project yet. Create one with: permitry init --mode test', 'not_found');
    if (others.length > 0) throw usage(`There is more than one project. Name one with --project: ${names}.`);
    return only;
  }
  const wanted = idOrName.toLowerCase();
  const found = projects.find(({ id, name }) => id === idOrName || name.toLowerCase() === wanted);
  if (!found)
    throw refused(
      `There is no project "${idOrName}" in this gate. Its projects: ${names || 'none'}.`,
      'not_found',
    );
  return found;
}

/** Reaches several projects of an open gate. */
export async function atOwn<T>(
  gate: GateParts,
  work: (at: (project: Project) => AtOwnProject) => Promise<T>,
): Promise<T> {
  const { openOperatorDoor } = await import('@permitry/server/operator');
  const door = await openOperatorDoor(gate, OPERATOR);
  try {
    return await work((project) => {
      const base = `/v1/projects/${project.id}`;
      return { gate, project, ...below(base, door.request) };
    });
  } finally {
    await door.close();
  }
}

/** A project of a remote gate, as the person signed in there, or with the key in PERMITRY_KEY. */
export async function atProjectElsewhere<T>(
  flags: AdminFlags & ConnectionFlags,
  work: (at: AtProject) => Promise<T>,
): Promise<T> {
  const client = await openClient(flags);
  const [projectId, ...others] = chooseProjects(await readMe(client), flags.project);
  if (projectId === undefined || others.length > 0)
    throw usage('You are in more than one project there. Name one with --project.');
  const ask: Ask = (method, path, { query, headers, body = method === 'POST' ? {} : undefined } = {}) => {
    if (headers) throw new Error('A request to a remote gate cannot have its own headers.');
    return client.request(method, path, { query, body });
  };
  return work(below(`/v1/projects/${encodeURIComponent(projectId)}`, ask));
}

function below(base: string, ask: Ask): AtProject {
  return {
    ask: (method, path, asked) => ask(method, base + path, asked),
    list: <T>(path: string, query?: Query) =>
      allPages<T>(async (page) => {
        type Listed = { data: T[]; next_cursor?: string | null };
        const found = await ask<Listed>('GET', base + path, { query: { ...query, ...page } });
        return { items: found.data, nextCursor: found.next_cursor ?? null };
      }),
  };
}
