import type { RiskTier } from '@permitry/protocol';
import { RISK_TIERS } from '@permitry/protocol';
import type { AgentSchema, MemberSchema, Static } from '@permitry/protocol/schemas';
import { type Command, Option } from 'commander';
import { type AtProject, atProject } from '../at-project.ts';
import { type AdminFlags, adminCommand, examples } from '../command-options.ts';
import { findAgent, findMember } from '../find-named.ts';
import { OPERATOR } from '../open-gate.ts';
import { printJson, printTable } from '../printing/print.ts';
import { shortTime } from '../printing/say.ts';

type Agent = Static<typeof AgentSchema>;
type Member = Static<typeof MemberSchema>;

export function addAgentCommands(program: Command): void {
  const agent = program
    .command('agent')
    .summary('register and manage agents')
    .description(
      'Register and manage agents. Registering an agent lets you pause or revoke everything it does at once.',
    )
    .addHelpText('after', examples('permitry agent add refund-bot'));

  adminCommand(
    agent,
    'add',
    'register an agent',
    'It can send requests once it has a key: permitry keys create.',
  )
    .argument('<name>', 'name of the agent, unique in the project')
    .addOption(new Option('--risk-tier <tier>', 'minimum risk of its requests').choices([...RISK_TIERS]))
    .option('--framework <name>', 'the framework it is built with')
    .option('--owner <email>', 'the member who answers for it (default: every owner of the project)')
    .addHelpText(
      'after',
      examples('permitry agent add refund-bot --owner ann@example.org --risk-tier medium'),
    )
    .action(add);

  adminCommand(agent, 'list', 'list the agents of a project, including revoked ones')
    .addHelpText('after', examples('permitry agent list --json'))
    .action(list);

  adminCommand(
    agent,
    'owner',
    'set the member who answers for an agent',
    'Use it when the previous owner leaves: otherwise the keys of the agent expire 7 days later.',
  )
    .argument('<id|name>')
    .argument('<email>', 'email address of the member')
    .addHelpText('after', examples('permitry agent owner refund-bot ann@example.org'))
    .action(setOwner);

  for (const [verb, summary, when] of [
    [
      'pause',
      'pause an agent',
      'Its requests and permits are refused until you resume it. Use it when an agent behaves unexpectedly.',
    ],
    ['resume', 'resume a paused agent', 'Its requests and unexpired permits are accepted again.'],
    [
      'revoke',
      'revoke an agent for good',
      'Its requests and permits are refused from now on. You cannot undo this; to stop it for a while, pause it.',
    ],
  ] as const)
    adminCommand(agent, verb, summary, when)
      .argument('<id|name>')
      .addHelpText('after', examples(`permitry agent ${verb} refund-bot`))
      .action((name: string, flags: AdminFlags) => move(name, verb, flags));
}

async function add(
  name: string,
  {
    riskTier,
    framework,
    owner,
    ...flags
  }: AdminFlags & { riskTier?: RiskTier; framework?: string; owner?: string },
): Promise<void> {
  const agent = await atProject(flags, async (at) => {
    const ownerId = owner === undefined ? undefined : (await findMember(at, owner)).id;
    const { registerAgent } = await import('@permitry/server');
    // Calls the operation directly, because no API path registers an agent for which another person is responsible.
    const { id } = await registerAgent(at.gate, OPERATOR, {
      projectId: at.project.id,
      name,
      ...(ownerId === undefined ? {} : { ownerId }),
      ...(riskTier === undefined ? {} : { riskTier }),
      ...(framework === undefined ? {} : { framework }),
    });
    return at.ask<Agent>('GET', `/agents/${id}`);
  });
  if (flags.json) return printJson(toJson(agent));
  process.stdout.write(`Registered agent ${agent.id} ("${agent.name}").
Next: permitry keys create --kind agent --agent ${agent.id}
`);
}

async function list(flags: AdminFlags): Promise<void> {
  const { agents, members } = await atProject(flags, async (at) => ({
    agents: await at.list<Agent>('/agents'),
    members: await at.list<Member>('/members'),
  }));
  if (flags.json) return printJson(agents.map(toJson));
  const emails = new Map(members.map(({ id, email }) => [id, email]));
  printTable(
    agents,
    [
      { title: 'ID', text: ({ id }) => id },
      { title: 'NAME', text: ({ name }) => name, shrinks: true },
      { title: 'STATE', text: ({ status }) => status },
      { title: 'RISK', text: ({ risk_tier }) => risk_tier },
      { title: 'OWNER', text: (agent) => describeOwner(agent, emails), shrinks: true },
      { title: 'LAST SEEN', text: ({ last_seen_at }) => shortTime(last_seen_at) },
    ],
    'This project has no agents. Register one with: permitry agent add NAME',
  );
}

function describeOwner({ owner_id, keys_end_at }: Agent, emails: ReadonlyMap<string, string>): string {
  if (owner_id === null) return 'every owner';
  const email = emails.get(owner_id) ?? owner_id;
  return keys_end_at === null ? email : `${email} (left)`;
}

async function setOwner(name: string, email: string, flags: AdminFlags): Promise<void> {
  const agent = await atProject(flags, async (at) => {
    const path = await pathOf(at, name);
    return at.ask<Agent>('PATCH', path, { body: { owner_id: (await findMember(at, email)).id } });
  });
  if (flags.json) return printJson(toJson(agent));
  process.stdout.write(`${email} now answers for agent "${agent.name}".\n`);
}

async function move(name: string, verb: string, flags: AdminFlags): Promise<void> {
  const agent = await atProject(flags, async (at) =>
    at.ask<Agent>('POST', `${await pathOf(at, name)}/${verb}`),
  );
  if (flags.json) return printJson(toJson(agent));
  process.stdout.write(`Agent "${agent.name}" is now ${agent.status}.\n`);
}

async function pathOf(at: AtProject, name: string): Promise<string> {
  return `/agents/${(await findAgent(at, name)).id}`;
}

function toJson(agent: Agent) {
  const { id, name, status, fingerprint, framework, labels, risk_tier, owner_id, created_at, last_seen_at } =
    agent;
  return { id, name, status, fingerprint, framework, labels, risk_tier, owner_id, created_at, last_seen_at };
}
