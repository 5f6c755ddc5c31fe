import type { Role } from '@permitry/protocol';
import {
  createKey,
  createUserToken,
  GateError,
  type GateParts,
  type KeyRecord,
  listKeys,
  listMembers,
  listProjects,
  listUserTokens,
  revokeKey,
  revokeUserToken,
} from '@permitry/server';
import { allPages } from '../all-pages.ts';
import { CommandFailure } from '../command-failure.ts';
import type { AdminFlags } from '../command-options.ts';
import { findAgent } from '../find-agent.ts';
import { findProject } from '../find-project.ts';
import { withGate } from '../open-gate-for-admin.ts';
import { OPERATOR } from '../operator.ts';
import { printJson } from '../printing/print-json.ts';
import { printTable } from '../printing/print-table.ts';
import { shortTime } from '../printing/short-time.ts';

type Kind = KeyRecord['kind'];

export type ListFlags = AdminFlags & { owner?: string };

export interface CreateFlags extends AdminFlags {
  kind: Kind;
  name?: string;
  agent?: string;
  owner?: string;
  allowDecide?: true;
  allowManage?: true;
  /** An instant already. */
  expiresIn?: string;
  perMinute?: number;
}

export async function list(flags: ListFlags): Promise<void> {
  const { owner: email } = flags;
  if (email !== undefined && flags.project !== undefined)
    throw new CommandFailure(2, 'The user tokens of a person belong to no project; leave --project out.');
  const keys = await withGate(flags, async (gate) => {
    if (email !== undefined) return allPages((page) => listUserTokens(gate, OPERATOR, { email, ...page }));
    const { id: projectId } = await findProject(gate, flags.project);
    return allPages((page) => listKeys(gate, OPERATOR, { projectId, ...page }));
  });
  if (flags.json) return printJson(keys.map(toJson));
  printTable(
    keys,
    [
      { title: 'ID', text: ({ id }) => id },
      { title: 'KIND', text: ({ kind }) => kind },
      { title: 'NAME', text: ({ name }) => name, shrinks: true },
      { title: 'KEY', text: ({ hint }) => `…${hint}` },
      { title: 'STATE', text: stateOf },
      { title: 'EXPIRES', text: ({ expiresAt }) => (expiresAt === null ? 'never' : shortTime(expiresAt)) },
      { title: 'LAST USED', text: ({ lastUsedAt }) => lastUsedAt?.slice(0, 10) ?? '-' },
    ],
    flags.owner === undefined
      ? 'This project has no keys; make one with: permitry keys create'
      : `${flags.owner} has no user tokens; make one with: permitry keys create --kind user`,
  );
}

function stateOf({ revokedAt, expiresAt }: KeyRecord): string {
  if (revokedAt !== null) return 'revoked';
  return expiresAt !== null && expiresAt <= new Date().toISOString() ? 'expired' : 'active';
}

export async function create(flags: CreateFlags): Promise<void> {
  const { record, key } = await withGate(flags, (gate) =>
    flags.kind === 'user' ? createForPerson(gate, flags) : createForProject(gate, flags, flags.kind),
  );
  if (flags.json) return printJson({ ...toJson(record), key });
  // Only the key goes to stdout, so that a script may take it from there.
  process.stderr.write(
    `Made ${record.kind} key ${record.id} ("${record.name}"), ${lifeOf(record)}. Shown this once:\n`,
  );
  process.stdout.write(`${key}\n`);
}

function lifeOf({ expiresAt }: KeyRecord): string {
  return expiresAt === null ? 'valid until revoked' : `valid until ${expiresAt}`;
}

function createForPerson(gate: GateParts, flags: CreateFlags) {
  if (flags.owner === undefined)
    throw new CommandFailure(2, 'A user token belongs to a person; name them with --owner EMAIL.');
  refuseFlags(flags, ['agent', 'perMinute'], 'A user token takes no');
  return createUserToken(gate, OPERATOR, {
    name: flags.name ?? 'token made at the command line',
    email: flags.owner,
    rights: [
      ...(flags.allowDecide ? (['decide'] as const) : []),
      ...(flags.allowManage ? (['manage'] as const) : []),
    ],
    expiresAt: flags.expiresIn ?? null,
  });
}

async function createForProject(gate: GateParts, flags: CreateFlags, kind: Exclude<Kind, 'user'>) {
  refuseFlags(flags, ['allowDecide', 'allowManage'], 'Only user tokens (--kind user) take');
  if (kind !== 'secret') refuseFlags(flags, ['owner'], 'Only secret keys and user tokens take');
  if (kind !== 'agent') refuseFlags(flags, ['agent'], 'Only agent keys take');
  if (kind === 'agent' && flags.agent === undefined)
    throw new CommandFailure(
      2,
      'An agent key is one agent; name it with --agent (see: permitry agent list).',
    );
  const { id: projectId } = await findProject(gate, flags.project);
  const agent = flags.agent === undefined ? undefined : await findAgent(gate, projectId, flags.agent);
  return createKey(gate, OPERATOR, {
    projectId,
    kind,
    name: flags.name ?? (agent ? `key of ${agent.name}` : `${kind} key made at the command line`),
    agentId: agent?.id ?? null,
    ownerEmail: kind === 'secret' ? (flags.owner ?? (await onlyOwner(gate, projectId))) : null,
    expiresAt: flags.expiresIn ?? null,
    rateLimitPerMinute: flags.perMinute ?? null,
  });
}

function refuseFlags(flags: CreateFlags, names: readonly (keyof CreateFlags)[], sentence: string): void {
  const given = names.filter((name) => flags[name] !== undefined);
  if (given.length === 0) return;
  const spelled = given.map((name) => `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`);
  throw new CommandFailure(2, `${sentence} ${spelled.join(', ')}.`);
}

/** Nobody has to be named while one person owns the project. */
async function onlyOwner(gate: GateParts, projectId: string): Promise<string> {
  const members = await allPages((page) => listMembers(gate, OPERATOR, { projectId, ...page }));
  const owners = members.filter(({ role }) => role === ('owner' satisfies Role));
  const [owner] = owners;
  if (!owner || owners.length > 1)
    throw new CommandFailure(2, 'Name the member who answers for the key with --owner EMAIL.');
  return owner.email;
}

export async function revoke(keyId: string, flags: AdminFlags): Promise<void> {
  const record = await withGate(flags, async (gate) => {
    const projects =
      flags.project === undefined
        ? await listProjects(gate, OPERATOR)
        : [await findProject(gate, flags.project)];
    for (const { id: projectId } of projects) {
      const ended = await unlessUnknown(revokeKey(gate, OPERATOR, { projectId, keyId }));
      if (ended) return ended;
    }
    const token = await unlessUnknown(revokeUserToken(gate, OPERATOR, { keyId }));
    if (!token)
      throw new CommandFailure(1, `There is no key ${keyId} here; see: permitry keys list`, {
        code: 'not_found',
      });
    return token;
  });
  if (flags.json) return printJson(toJson(record));
  process.stdout.write(`Revoked ${record.kind} key ${record.id} ("${record.name}").\n`);
}

async function unlessUnknown<T>(attempt: Promise<T>): Promise<T | undefined> {
  try {
    return await attempt;
  } catch (error) {
    if (error instanceof GateError && error.code === 'not_found') return undefined;
    throw error;
  }
}

function toJson(record: KeyRecord) {
  return {
    id: record.id,
    kind: record.kind,
    name: record.name,
    hint: record.hint,
    project_id: record.projectId,
    agent_id: record.agentId,
    owner_id: record.ownerId,
    rights: record.rights,
    rate_limit_per_minute: record.rateLimitPerMinute,
    created_at: record.createdAt,
    expires_at: record.expiresAt,
    revoked_at: record.revokedAt,
    last_used_at: record.lastUsedAt,
  };
}
