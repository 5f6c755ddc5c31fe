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
import { shortTime } from '../printing/say.ts';

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

export function addKeysCommands(program: Command): void {
  const keys = program
    .command('keys')
    .summary('API keys and user tokens')
    .description('API keys and user tokens.')
    .addHelpText('after', examples('permitry keys create --kind agent --agent refund-bot'));

  adminCommand(keys, 'list', 'list the keys of a project, revoked ones as well')
    .option('--owner <email>', 'the user tokens of this person instead, which belong to no project')
    .addHelpText('after', examples('permitry keys list', 'permitry keys list --owner ann@example.org --json'))
    .action(list);

  adminCommand(keys, 'create', 'make a key and show it, once')
    .addOption(
      new Option('--kind <kind>', 'whose key it is')
        .choices(['agent', 'secret', 'verify', 'user'])
        .makeOptionMandatory(),
    )
    .option('--name <name>', 'what people will know it by')
    .option('--agent <id|name>', 'agent keys: the one agent it is')
    .option('--owner <email>', 'secret keys and user tokens: who answers for it')
    .option('--allow-decide', 'user tokens: may approve and deny, for 12 hours at most')
    .option(
      '--allow-manage',
      'user tokens: may change keys, people and policy in test mode, and pause, revoke and stop in both; for 12 hours at most',
    )
    .option('--expires-in <time>', 'such as 30m, 12h, 7d; until revoked when left out', parseLifetime)
    .option('--per-minute <n>', 'requests per minute, below those of the project', wholeNumber(1, 1_000_000))
    .addHelpText(
      'after',
      examples(
        'permitry keys create --kind agent --agent refund-bot',
        'permitry keys create --kind user --owner ann@example.org --allow-decide',
      ),
    )
    .action(create);

  adminCommand(keys, 'revoke', 'end a key or user token from the next request on, for good')
    .argument('<key-id>', 'as keys list and keys create show it')
    .addHelpText('after', examples('permitry keys revoke key_01m7vsvz60cy387nxk9aen384t'))
    .action(revoke);
}

async function list({ owner: email, ...flags }: AdminFlags & { owner?: string }): Promise<void> {
  if (email !== undefined && flags.project !== undefined)
    throw usage('The user tokens of a person belong to no project; leave --project out.');
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
      ? 'This project has no keys; make one with: permitry keys create'
      : `${email} has no user tokens; make one with: permitry keys create --kind user`,
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
  const life = record.expiresAt === null ? 'valid until revoked' : `valid until ${record.expiresAt}`;
  // Only the key goes to stdout, so that a script can read it there.
  process.stderr.write(
    `Made ${record.kind} key ${record.id} ("${record.name}"), ${life}. Shown this once:\n`,
  );
  process.stdout.write(`${key}\n`);
}

async function createForPerson(flags: CreateFlags) {
  const { owner: email } = flags;
  if (email === undefined) throw usage('A user token belongs to a person; name them with --owner EMAIL.');
  refuseFlags(flags, ['agent', 'perMinute'], 'A user token takes no');
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

/** Calls the operation: through the path, a secret key would belong to the caller, and the operator is not a member. */
async function createForProject(flags: CreateFlags, kind: WireKey['kind']) {
  refuseFlags(flags, ['allowDecide', 'allowManage'], 'Only user tokens (--kind user) take');
  if (kind !== 'secret') refuseFlags(flags, ['owner'], 'Only secret keys and user tokens take');
  if (kind !== 'agent') refuseFlags(flags, ['agent'], 'Only agent keys take');
  if (kind === 'agent' && flags.agent === undefined)
    throw usage('An agent key is one agent; name it with --agent (see: permitry agent list).');
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
    if (!token) throw refused(`There is no key ${keyId} here; see: permitry keys list`, 'not_found');
    return toJson(token);
  });
  if (flags.json) return printJson(key);
  process.stdout.write(`Revoked ${key.kind} key ${key.id} ("${key.name}").\n`);
}

async function unlessUnknown<T>(attempt: Promise<T>): Promise<T | undefined> {
  try {
    return await attempt;
  } catch (error) {
    // An id that no key can have, such as a key itself, is unknown as well.
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
