/** Creates a data directory with everybody whom an attack could use, and the matching keys file. */
import { randomBytes } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { ProjectMode, Role } from '@permitry/protocol';
import {
  acceptInvitation,
  addMember,
  createInvitation,
  createKey,
  createProject,
  createUserToken,
  databaseFile,
  type GateParts,
  type OperatorCaller,
  openGate,
  putPolicy,
  registerAgent,
} from '@permitry/server';
import type { PersonKeys, ProjectKeys } from './keys-file.ts';
import { UsageError } from './usage-error.ts';

const OPERATOR: OperatorCaller = { kind: 'operator', credentialId: 'operator', display: 'operator' };
/** These people also sign in at a browser, because people manage a live project there. */
const AT_A_BROWSER = ['admin', 'approver-1'];

const KEYS_FILE = 'attack-keys.json';

/** By the part of the email address before the @. */
const peopleWith = (approvers: number): readonly (readonly [string, Role])[] => [
  ['admin', 'admin'],
  ...Array.from({ length: approvers }, (_, i) => [`approver-${i + 1}`, 'approver'] as const),
  ['viewer', 'viewer'],
];

/**
 * Creates two projects in live mode, so that one can attack the other, and one in test mode. Tokens that decide or
 * manage are valid for twelve hours.
 *
 * @returns the path of the keys file
 * @throws UsageError for a directory that already holds a gate
 */
export async function prepareGate(directory: string): Promise<string> {
  const dataDir = resolve(directory);
  if (existsSync(databaseFile(dataDir)))
    throw new UsageError(
      `There is a gate in ${dataDir} already. Attacks are for a fresh one, or for one you name keys of.`,
    );
  // No text that is signed here contains this address.
  const { gate, close } = await openGate({
    database: { directory: dataDir },
    issuer: 'http://localhost:8787',
  });
  try {
    const projects = await prepareProjects(gate);
    const path = join(dataDir, KEYS_FILE);
    writeFileSync(path, `${JSON.stringify({ projects }, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
    return path;
  } finally {
    await close();
  }
}

/** The project under attack, its neighbour, and one in test mode. */
export async function prepareProjects(gate: GateParts, approvers = 6): Promise<ProjectKeys[]> {
  return [
    await addProject(gate, 'attacked', 'live', approvers),
    await addProject(gate, 'neighbour', 'live'),
    await addProject(gate, 'rehearsal', 'test'),
  ];
}

async function addProject(
  gate: GateParts,
  name: string,
  mode: ProjectMode,
  approvers = 6,
): Promise<ProjectKeys> {
  const ownerEmail = `owner@${name}.example`;
  const { project } = await createProject(gate, OPERATOR, { name, mode, ownerEmail });
  const projectId = project.id;
  // The attacks act for people through their tokens. In live mode, tokens approve only where policy allows it, so this
  // policy does.
  const document = { name: 'tried', default: { approvers: ['role:approver'], programs: true }, rules: [] };
  await putPolicy(gate, OPERATOR, { projectId, document });
  const makeKey = async (
    kind: 'agent' | 'secret' | 'verify',
    more: { agentId?: string; ownerEmail?: string },
  ) => (await createKey(gate, OPERATOR, { projectId, kind, name: `first ${kind} key`, ...more })).key;
  const makeAgent = async (agentName: string): Promise<string> =>
    makeKey('agent', { agentId: (await registerAgent(gate, OPERATOR, { projectId, name: agentName })).id });
  const people: PersonKeys[] = [await tokenOf(gate, ownerEmail, 'owner')];
  for (const [who, role] of peopleWith(approvers)) {
    const email = `${who}@${name}.example`;
    const password = AT_A_BROWSER.includes(who) ? await invite(gate, projectId, email, role) : undefined;
    if (password === undefined) await addMember(gate, OPERATOR, { projectId, email, role });
    people.push({
      ...(await tokenOf(gate, email, role)),
      ...(password === undefined ? {} : { password }),
      ...(role === 'approver' ? { secret_key: await makeKey('secret', { ownerEmail: email }) } : {}),
    });
  }
  return {
    project_id: projectId,
    mode,
    disposable: true,
    secret_key: await makeKey('secret', { ownerEmail }),
    agent_key: await makeAgent('first-agent'),
    second_agent_key: await makeAgent('second-agent'),
    verifier_key: await makeKey('verify', {}),
    people,
  };
}

/** Adds a member who chooses a password, and returns the password. */
async function invite(gate: GateParts, projectId: string, email: string, role: Role): Promise<string> {
  const { link } = await createInvitation(gate, OPERATOR, { projectId, email, role });
  if (link === null) throw new Error('an invitation went by mail from a gate that has none');
  const password = randomBytes(18).toString('base64url');
  const token = new URL(link).hash.slice(1);
  const browser = { address: null, userAgent: null, sessionId: null };
  await acceptInvitation(gate, null, { token, name: email, password }, browser);
  return password;
}

async function tokenOf(gate: GateParts, email: string, role: Role): Promise<PersonKeys> {
  const rights = ['decide', 'manage'] as const;
  const { key } = await createUserToken(gate, OPERATOR, { name: `token of ${email}`, email, rights });
  return { email, role, token: key, rights };
}
