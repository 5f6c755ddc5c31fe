/** The keys for the attacks: the `credentials.json` of a first start, or a longer file that allows more cases. */
import { readFileSync } from 'node:fs';
import { PROJECT_MODES, type ProjectMode, ROLES, type Role } from '@permitry/protocol';
import { UsageError } from './usage-error.ts';

/** A person with an access token. */
export interface PersonKeys {
  email: string;
  role: Role;
  token: string;
  /** The rights of the token besides reading. */
  rights: readonly ('decide' | 'manage')[];
  /** The password for sign-in at a browser. */
  password?: string;
  /** A secret key of this person. A vote by this key counts as the person's, as a vote by the token does. */
  secret_key?: string;
}

/** The credentials of one project. All but `id` and `mode` may be missing; then the cases that need them do not run. */
export interface ProjectKeys {
  project_id: string;
  mode: ProjectMode;
  /** Created to be attacked: the run may use its policy and emergency stop. Default: false. */
  disposable?: boolean;
  secret_key?: string;
  agent_key?: string;
  /** The key of a second agent. Default: created, if the credentials allow it. */
  second_agent_key?: string;
  verifier_key?: string;
  people?: readonly PersonKeys[];
}

const KEYS = ['secret_key', 'agent_key', 'second_agent_key', 'verifier_key'] as const;
/** Present in `credentials.json`, but not used here. */
const TOLERATED = ['owner_email', 'agent_id'];
const RIGHTS = ['decide', 'manage'];

/**
 * One project, or `{ "projects": [ … ] }`.
 *
 * @throws UsageError that names every problem
 */
export function readKeysFile(path: string): readonly ProjectKeys[] {
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new UsageError(`The keys file ${path} cannot be read: ${(error as Error).message}`);
  }
  return parseKeys(content, path);
}

function parseKeys(content: unknown, path: string): readonly ProjectKeys[] {
  const problems: string[] = [];
  const isList = isObject(content) && 'projects' in content;
  const entries: unknown = isList ? content.projects : [content];
  if (!Array.isArray(entries) || entries.length === 0) problems.push('"projects" must be a list of projects');
  else
    for (const [index, entry] of entries.entries())
      problems.push(...problemsOf(entry, isList ? `projects[${index}].` : ''));
  if (problems.length > 0)
    throw new UsageError(
      `The keys file ${path} cannot be used:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`,
    );
  return entries as ProjectKeys[];
}

function problemsOf(entry: unknown, at: string): string[] {
  if (!isObject(entry)) return [`${at} must be an object`];
  const problems: string[] = [];
  const known = ['project_id', 'mode', 'disposable', 'people', ...KEYS, ...TOLERATED];
  for (const name of Object.keys(entry))
    if (!known.includes(name)) problems.push(`${at}${name} is not known`);
  if (typeof entry.project_id !== 'string' || !/^prj_[0-9a-z]{26}$/.test(entry.project_id))
    problems.push(`${at}project_id must be the id of a project`);
  if (!PROJECT_MODES.some((mode) => mode === entry.mode)) problems.push(`${at}mode must be test or live`);
  if (entry.disposable !== undefined && typeof entry.disposable !== 'boolean')
    problems.push(`${at}disposable must be true or false`);
  for (const name of KEYS)
    if (entry[name] !== undefined && typeof entry[name] !== 'string')
      problems.push(`${at}${name} must be a key`);
  const people = entry.people ?? [];
  if (!Array.isArray(people)) return [...problems, `${at}people must be a list`];
  for (const [index, person] of people.entries()) {
    const where = `${at}people[${index}]`;
    const isPerson =
      isObject(person) &&
      typeof person.email === 'string' &&
      typeof person.token === 'string' &&
      ROLES.some((role) => role === person.role) &&
      Array.isArray(person.rights) &&
      person.rights.every((right) => RIGHTS.includes(right as string)) &&
      [person.password, person.secret_key].every((more) => more === undefined || typeof more === 'string');
    if (!isPerson)
      problems.push(
        `${where} must be { email, role, token, rights: ["decide", "manage"], password?, secret_key? }`,
      );
  }
  return problems;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
