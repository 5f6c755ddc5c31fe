import type { KeySchema, MemberSchema, Static } from '@permitry/protocol/schemas';
import type { KeyRecord } from '@permitry/server';
import { type Command, Option } from 'commander';
import { allPages } from '../all-pages.ts';
import { type AtOwnProject, atOwn, atProject, chooseProject } from '../at-project.ts';
import { refused, usage } from '../command-failure.ts';
import { type AdminFlags, adminCommand, examples } from '../command-options.ts';
import { findAgent } from '../find-named.ts';
import { parseLifetime, wholeNumber } from '../input/parse-argument.ts';
import { OPERATOR, withGate } from '../open-gate.ts';
import { printJson, printTable } from '../printing/print.ts';
import { fullTime, shortTime } from '../printing/say.ts';

type WireKey = Static<typeof KeySchema>;

interface CreateFlags extends AdminFlags {
  kind: KeyRecord['kind'];
  name?: string;
  agent?: string;
  owner?: string;
  allowDecide?: true;
  allowManage?: true;
  /** Already converted to an instant. */
  expiresIn?: string;
  perMinute?: number;
}

const KIND_WORDS: Readonly<Record<KeyRecord['kind'], string>> = {
  agent: 'agent key',
  secret: 'secret key',
  verify: 'verifier key',
  user: 'access token',
};

export function addKeysCommands(program: Command): void {
  const keys = program
    .command('keys')
    .summary('manage API keys and access tokens')
    .description('Manage API keys and access tokens.')
    .addHelpText('after', examples('permitry keys create --kind agent --agent refund-bot'));

  adminCommand(keys, 'list', 'list the keys of a project, including revoked ones')
    .option('--owner <email>', 'list the access tokens of this person instead, which belong to no project')
    .addHelpText('after', examples('permitry keys list', 'permitry keys list --owner ann@example.org --json'))
    .action(list);

  adminCommand(
    keys,
    'create',
    'create a key and show it once',
    'An agent key sends requests, a secret key belongs to a service, a verifier key to an executor, and an access token (user) to a person.',
  )
    .addOption(
      new Option('--kind <kind>', 'kind of key')
        .choices(['agent', 'secret', 'verify', 'user'])
        .makeOptionMandatory(),
    )
    .option('--name <name>', 'name of the key in lists')
    .option('--agent <id|name>', 'for agent keys: the agent')
    .option('--owner <email>', 'for secret keys and access tokens: the member who answers for it')
    .option('--allow-decide', 'for access tokens: may approve and deny, for at most 12 hours')
    .option(
      '--allow-manage',
      'for access tokens: may manage keys, people and policy in test mode, and pause, revoke and stop in both modes, for at most 12 hours',
    )
    .option(
      '--expires-in <time>',
      'time until it expires, such as 30m, 12h or 7d (default: valid until revoked)',
      parseLifetime,
    )
    .option(
      '--per-minute <n>',
      'rate limit of this key, below that of the project',
      wholeNumber(1, 1_000_000),
    )
    .addHelpText(
      'after',
      examples(
        'permitry keys create --kind agent --agent refund-bot',
        'permitry keys create --kind user --owner ann@example.org --allow-decide',
      ),
    )
    .action(create);

  adminCommand(
    keys,
    'revoke',
    'revoke a key or access token for good',
    'It is refused from the next request on. You cannot undo this.',
  )
    .argument('<key-id>', 'ID of the key, from keys list or keys create')
    .addHelpText('after', examples('permitry keys revoke key_01m7vsvz60cy387nxk9aen384t'))
    .action(revoke);
}

async function list({ owner: email, ...flags }: AdminFlags & { owner?: string }): Promise<void> {
  if (email !== undefined && flags.project !== undefined)
    throw usage('The access tokens of a person belong to no project. Leave --project out.');
  const keys = email === undefined ? await ofProject(flags) : await ofPerson(email, flags);
  if (flags.json) return printJson(keys);
  printTable(
    keys,
    [
      { title: 'ID', text: ({ id }) => id },
      { title: 'KIND', text: ({ kind }) => kind },
      { title: 'NAME', text: ({ name }) => name, shrinks: true },
      { title: 'KEY', text: ({ hint }) => `…${hint}` },
      { title: 'STATE', text: stateOf },
      { title: 'EXPIRES', text: ({ expires_at }) => (expires_at === null ? 'never' : shortTime(expires_at)) },
      { title: 'LAST USED', text: ({ last_used_at }) => last_used_at?.slice(0, 10) ?? '-' },
    ],
    email === undefined
      ? 'This project has no keys. Create one with: permitry keys create'
      : `${email} has no access tokens. Create one with: permitry keys create --kind user`,
  );
}

function ofProject(flags: AdminFlags) {
  return atProject(flags, async ({ list, project }) =>
    (await list<WireKey>('/keys')).map((key) => fromWire(key, project.id)),
  );
}

function ofPerson(email: string, flags: AdminFlags) {
  return withGate(flags, async ({ gate }, { listUserTokens }) =>
    (await allPages((page) => listUserTokens(gate, OPERATOR, { email, ...page }))).map(toJson),
  );
}

function stateOf({ revoked_at, expires_at }: ReturnType<typeof toJson>): string {
  if (revoked_at !== null) return 'revoked';
  return expires_at !== null && expires_at <= new Date().toISOString() ? 'expired' : 'active';
}

async function create(flags: CreateFlags): Promise<void> {
  const { kind } = flags;
  const { record, key } = await (kind === 'user' ? createForPerson(flags) : createForProject(flags, kind));
  if (flags.json) return printJson({ ...toJson(record), key });
  const life =
    record.expiresAt === null
      ? 'valid until revoked'
      : `valid until ${fullTime(record.expiresAt, process.stderr)}`;
  // Only the key goes to stdout, so that a script can read it there.
  process.stderr.write(
    `Created ${KIND_WORDS[kind]} ${record.id} ("${record.name}"), ${life}. It is shown only once:\n`,
  );
  process.stdout.write(`${key}\n`);
}

async function createForPerson(flags: CreateFlags) {
  const { owner: email } = flags;
  if (email === undefined) throw usage('An access token belongs to a person. Name them with --owner EMAIL.');
  refuseFlags(flags, ['agent', 'perMinute'], 'These flags do not apply to access tokens:');
  return withGate(flags, ({ gate }, { createUserToken }) =>
    createUserToken(gate, OPERATOR, {
      name: flags.name ?? 'token made at the command line',
      email,
      rights: [
        ...(flags.allowDecide ? (['decide'] as const) : []),
        ...(flags.allowManage ? (['manage'] as const) : []),
      ],
      expiresAt: flags.expiresIn ?? null,
    }),
  );
}

/**
 * Calls the operation directly: through the API path, a secret key would belong to the caller, and the operator is not
 * a member.
 */
async function createForProject(flags: CreateFlags, kind: WireKey['kind']) {
  refuseFlags(
    flags,
    ['allowDecide', 'allowManage'],
    'These flags apply only to access tokens (--kind user):',
  );
  if (kind !== 'secret')
    refuseFlags(flags, ['owner'], 'These flags apply only to secret keys and access tokens:');
  if (kind !== 'agent') refuseFlags(flags, ['agent'], 'These flags apply only to agent keys:');
  if (kind === 'agent' && flags.agent === undefined)
    throw usage(
      'An agent key belongs to one agent. Name it with --agent; list agents with: permitry agent list',
    );
  return atProject(flags, async (at) => {
    const { createKey } = await import('@permitry/server');
    const agent = flags.agent === undefined ? undefined : await findAgent(at, flags.agent);
    return createKey(at.gate, OPERATOR, {
      projectId: at.project.id,
      kind,
      name: flags.name ?? (agent ? `key of ${agent.name}` : `${kind} key made at the command line`),
      agentId: agent?.id ?? null,
      ownerEmail: kind === 'secret' ? (flags.owner ?? (await onlyOwner(at))) : null,
      expiresAt: flags.expiresIn ?? null,
      rateLimitPerMinute: flags.perMinute ?? null,
    });
  });
}

function refuseFlags(flags: CreateFlags, names: readonly (keyof CreateFlags)[], sentence: string): void {
  const given = names.filter((name) => flags[name] !== undefined);
  if (given.length === 0) return;
  const spelled = given.map((name) => `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`);
  throw usage(`${sentence} ${spelled.join(', ')}.`);
}

/** The operator need not name an owner while the project has only one. */
async function onlyOwner({ list }: AtOwnProject): Promise<string> {
  const members = await list<Static<typeof MemberSchema>>('/members');
  const [owner, ...others] = members.filter(({ role }) => role === 'owner');
  if (!owner || others.length > 0) throw usage('Name the member who answers for the key with --owner EMAIL.');
  return owner.email;
}

async function revoke(keyId: string, flags: AdminFlags): Promise<void> {
  const key = await withGate(flags, async ({ gate }, { listProjects, revokeUserToken }) => {
    const projects = await listProjects(gate, OPERATOR);
    const meant = flags.project === undefined ? projects : [chooseProject(projects, flags.project)];
    const ended = await atOwn(gate, async (at) => {
      for (const project of meant) {
        const path = `/keys/${encodeURIComponent(keyId)}/revoke`;
        const revoked = await unlessUnknown(at(project).ask<WireKey>('POST', path));
        if (revoked) return fromWire(revoked, project.id);
      }
      return undefined;
    });
    if (ended) return ended;
    const token = await unlessUnknown(revokeUserToken(gate, OPERATOR, { keyId }));
    if (!token)
      throw refused(`There is no key ${keyId} in this gate. List keys with: permitry keys list`, 'not_found');
    return toJson(token);
  });
  if (flags.json) return printJson(key);
  process.stdout.write(`Revoked ${KIND_WORDS[key.kind]} ${key.id} ("${key.name}").\n`);
}

async function unlessUnknown<T>(attempt: Promise<T>): Promise<T | undefined> {
  try {
    return await attempt;
  } catch (error) {
    // An ID that no key can have, such as the text of a key, is also unknown.
    if (['not_found', 'invalid_fields'].includes(String((error as { code?: unknown }).code)))
      return undefined;
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

/** Only user tokens have rights. */
function fromWire({ id, kind, name, hint, agent_id, owner_id, ...rest }: WireKey, projectId: string) {
  return { id, kind, name, hint, project_id: projectId, agent_id, owner_id, rights: [], ...rest };
}
