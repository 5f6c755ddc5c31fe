import type { RiskTier } from '@permitry/protocol';
import { type Command, Option } from 'commander';
import { type AtOwnProject, atProject } from '../at-project.ts';
import { refused } from '../command-failure.ts';
import { type AdminFlags, adminCommand, collect, examples } from '../command-options.ts';
import { confirm } from '../input/ask.ts';
import { wholeNumber } from '../input/parse-argument.ts';
import { OPERATOR } from '../open-gate.ts';
import { printJson, printTable } from '../printing/print.ts';
import { counted, sayVisibly, shortTime } from '../printing/say.ts';
import {
  firstLine,
  sayReached,
  sayState,
  showFound,
  showObstacles,
  type Upstream,
  type UpstreamTool,
  withoutSecrets,
} from '../upstreams/describe-upstream.ts';
import { type ReachedFlags, readReached } from '../upstreams/read-reached.ts';

interface AddFlags extends AdminFlags, ReachedFlags {
  risk: RiskTier;
  timeout: number;
  yes?: true;
}

interface ApproveFlags extends AdminFlags {
  risk?: RiskTier | 'server';
  yes?: true;
}

/** The chosen server of the project. */
interface At {
  at: AtOwnProject;
  upstream: Upstream;
}

export function addUpstreamCommands(program: Command): void {
  const upstream = program
    .command('upstream')
    .summary('manage upstream MCP servers')
    .description(
      'Manage upstream MCP servers. Agents call their tools through the gate, and only tools that you approved.',
    )
    .addHelpText('after', examples('permitry upstream add notes -- npx -y some-mcp-server /srv/notes'));

  adminCommand(upstream, 'add', 'add an MCP server and show its tools')
    .description(
      'Add an MCP server and show its tools so that you can approve them. Every gate on the database starts a command on its own machine, as its own user: the command can read what the gate can read. Its environment has PATH, HOME, LANG and the variables that --env names.',
    )
    .argument('<name>', 'name of the server; its tools are called NAME.TOOL')
    .argument('[command...]', 'after --: the command that speaks MCP over stdio')
    .option('--address <url>', 'instead of a command: URL of an MCP server (Streamable HTTP)')
    .option(
      '--header <name=variable>',
      'with --address: send this header, with the value of that variable',
      collect,
    )
    .option(
      '--env <name[=value]>',
      'a variable for the command; without a value, the one in your environment',
      collect,
    )
    .option('--cwd <dir>', 'directory that the command runs in (default: the current one)')
    .addOption(
      new Option('--risk <tier>', 'minimum risk of its tools')
        .choices(['low', 'medium', 'high', 'critical'])
        .default('medium'),
    )
    .option('--timeout <seconds>', 'time limit of one call, 10 to 600', wholeNumber(10, 600), 120)
    .option('--yes', 'approve all tools without asking')
    .addHelpText(
      'after',
      examples(
        'permitry upstream add notes --env NOTES_TOKEN -- npx -y some-mcp-server',
        'permitry upstream add tickets --address https://tickets.example/mcp \\\n      --header Authorization=TICKETS_AUTH',
      ),
    )
    .action(add);

  adminCommand(upstream, 'list', 'list the MCP servers of a project')
    .addHelpText('after', examples('permitry upstream list'))
    .action(list);

  adminCommand(upstream, 'show', 'show how a server is reached, without values of headers or variables')
    .argument('<name|id>')
    .addHelpText('after', examples('permitry upstream show notes'))
    .action(show);

  adminCommand(upstream, 'tools', 'list the tools of a server and their states')
    .argument('<name|id>')
    .addHelpText('after', examples('permitry upstream tools notes'))
    .action(tools);

  adminCommand(upstream, 'refresh', 'ask a server for its tools now')
    .argument('<name|id>')
    .addHelpText('after', examples('permitry upstream refresh notes'))
    .action(refresh);

  adminCommand(
    upstream,
    'approve',
    'approve tools, each shown first',
    'Agents can then use them exactly as shown. If the definition of a tool changes, it needs approval again.',
  )
    .argument('<name|id>')
    .argument('[tools...]', 'names of tools (default: all that need review)')
    .addOption(
      new Option('--risk <tier>', 'minimum risk of these tools; "server": that of the server').choices([
        'low',
        'medium',
        'high',
        'critical',
        'server',
      ]),
    )
    .option('--yes', 'do not ask for confirmation')
    .addHelpText('after', examples('permitry upstream approve notes read_note'))
    .action(approve);

  adminCommand(
    upstream,
    'withdraw',
    'disable tools',
    'Agents can no longer use them. To enable a tool again, approve it.',
  )
    .argument('<name|id>')
    .argument('<tools...>')
    .addHelpText('after', examples('permitry upstream withdraw notes delete_note'))
    .action(withdraw);

  adminCommand(upstream, 'remove', 'remove a server and the approvals of its tools')
    .argument('<name|id>')
    .addHelpText('after', examples('permitry upstream remove notes'))
    .action(remove);
}

async function add(name: string, command: string[], flags: AddFlags): Promise<void> {
  const settings = await readReached(command, flags);
  await atUpstreams(flags, async (own) => {
    const { addUpstream } = await import('@permitry/server/operator');
    // Calls the operation directly, because no API path registers a command. Only the operator may register one.
    const { id } = await addUpstream(own.gate, OPERATOR, {
      projectId: own.project.id,
      name,
      settings,
      riskTier: flags.risk,
      timeoutSeconds: flags.timeout,
    });
    const at = { at: own, upstream: await poll(own, id) };
    if (at.upstream.error !== null) {
      if (flags.json) printJson(await toJson(at));
      throw refused(
        `${name} is added, but it cannot be reached: ${sayVisibly(at.upstream.error)} Fix that, then run: permitry upstream refresh ${name}`,
      );
    }
    const found = await toolsOf(at);
    if (!flags.json) showObstacles(at.upstream, found);
    const waiting = found.filter(isWaiting);
    const isMeant = flags.yes === true || (!flags.json && (await isApproved(at, waiting)));
    if (isMeant) await approveAll(at, waiting);
    if (flags.json) return printJson(await toJson(at));
    process.stdout.write(
      isMeant
        ? `${name} is added: ${counted(waiting.length, 'tool')} enabled.\n`
        : `${name} is added, but none of its tools is enabled. Approve them with: permitry upstream approve ${name}\n`,
    );
  });
}

/** Shows what would be approved, and asks at a terminal. Without a terminal, the answer is no. */
async function isApproved(at: At, tools: readonly UpstreamTool[]): Promise<boolean> {
  await showFound(at.upstream, tools);
  if (tools.length === 0 || !process.stdin.isTTY || !process.stderr.isTTY) return false;
  return confirm(`Enable ${counted(tools.length, 'tool')} for the agents of this project, as shown?`, '');
}

async function list(flags: AdminFlags): Promise<void> {
  await atUpstreams(flags, async ({ list }) => {
    const upstreams = await list<Upstream>('/upstreams');
    if (flags.json) return printJson(upstreams);
    printTable(
      upstreams,
      [
        { title: 'NAME', text: (upstream) => upstream.name },
        { title: 'KIND', text: ({ kind }) => kind },
        { title: 'TARGET', text: ({ target }) => target, shrinks: true },
        { title: 'RISK', text: ({ risk_tier }) => risk_tier },
        { title: 'STATE', text: sayState, shrinks: true },
      ],
      'This project has no MCP servers. Add one with: permitry upstream add NAME -- COMMAND',
    );
  });
}

async function show(name: string, flags: AdminFlags): Promise<void> {
  await atUpstream(name, flags, async ({ at: { gate, project }, upstream }) => {
    const { getUpstream, openSettings } = await import('@permitry/server/operator');
    // Calls the operation directly, because no API path returns the whole command or address.
    const named = { projectId: project.id, upstreamId: upstream.id };
    const settings = openSettings(gate, await getUpstream(gate, OPERATOR, named));
    if (flags.json) return printJson({ ...upstream, ...withoutSecrets(settings) });
    const facts: [string, string][] = [
      ['name', upstream.name],
      ['id', upstream.id],
      ...sayReached(settings),
      ['secrets', upstream.secret_names.join(', ') || 'none'],
      ['risk', upstream.risk_tier],
      ['timeout', `${upstream.timeout_seconds} s`],
      ['server', upstream.server ? Object.values(upstream.server).join(' ') : 'never connected'],
      ['state', sayState(upstream)],
    ];
    process.stdout.write(facts.map(([what, text]) => `${what.padEnd(9)}${sayVisibly(text)}\n`).join(''));
  });
}

async function tools(name: string, flags: AdminFlags): Promise<void> {
  await atUpstream(name, flags, async (at) => {
    const found = await toolsOf(at);
    if (flags.json) return printJson(found);
    printTable(
      found,
      [
        { title: 'TOOL', text: (tool) => tool.name, shrinks: true },
        { title: 'STATE', text: ({ state, obstacle }) => (obstacle === null ? state : 'cannot be enabled') },
        { title: 'RISK', text: ({ risk_tier }) => risk_tier },
        { title: 'CHANGED', text: ({ changed_at }) => shortTime(changed_at) },
        {
          title: 'HASH',
          text: ({ found: definition, pinned }) => (definition ?? pinned)?.hash.slice(0, 19) ?? '',
        },
        {
          title: 'DESCRIPTION',
          text: ({ obstacle, found: definition, pinned }) => obstacle ?? firstLine(definition ?? pinned),
          shrinks: true,
        },
      ],
      'No tools are known yet. Load them with: permitry upstream refresh NAME',
    );
  });
}

async function refresh(name: string, flags: AdminFlags): Promise<void> {
  await atUpstream(name, flags, async (at) => {
    const upstream = await poll(at.at, at.upstream.id);
    const seen = { ...at, upstream };
    if (flags.json) printJson(await toJson(seen));
    if (upstream.error !== null) throw refused(`${name} cannot be reached: ${sayVisibly(upstream.error)}`);
    if (flags.json) return;
    const found = await toolsOf(seen);
    const waiting = found.filter(isWaiting);
    await showFound(seen.upstream, waiting);
    showObstacles(seen.upstream, found);
    const offered = found.filter(({ state }) => state === 'approved').length;
    process.stdout.write(
      `${counted(offered, 'tool')} enabled, ${waiting.length} to review${waiting.length > 0 ? `: permitry upstream approve ${upstream.name}` : ''}.\n`,
    );
  });
}

async function approve(name: string, wanted: string[], flags: ApproveFlags): Promise<void> {
  await atUpstream(name, flags, async (at) => {
    const found = await toolsOf(at);
    for (const one of wanted)
      if (!found.some((tool) => tool.name === one))
        throw refused(`${at.upstream.name} has no tool ${one}.`, 'not_found');
    const meant = found.filter((tool) =>
      wanted.length === 0 ? isWaiting(tool) : wanted.includes(tool.name),
    );
    if (meant.length === 0) {
      if (flags.json) return printJson([]);
      process.stdout.write('No tools need review.\n');
      return;
    }
    // A person who is asked must see the tools first, whatever the output format.
    if (!flags.json || !flags.yes) await showFound(at.upstream, meant);
    const isMeant =
      flags.yes ||
      (await confirm(`Enable ${counted(meant.length, 'tool')} for the agents of this project, as shown?`));
    if (!isMeant) throw refused('Nothing was approved.');
    const approved = await approveAll(at, meant, flags.risk);
    if (flags.json) return printJson(approved);
    process.stdout.write(`${counted(approved.length, 'tool')} enabled.\n`);
  });
}

async function withdraw(name: string, names: string[], flags: AdminFlags): Promise<void> {
  await atUpstream(name, flags, async ({ at, upstream: { id } }) => {
    await at.ask('POST', `/upstreams/${id}/tools/withdraw`, { body: { tools: names } });
    if (flags.json) return printJson({ upstream_id: id, withdrawn: names });
    process.stdout.write(`${counted(names.length, 'tool')} disabled.\n`);
  });
}

async function remove(name: string, flags: AdminFlags): Promise<void> {
  await atUpstream(name, flags, async ({ at, upstream }) => {
    await at.ask('DELETE', `/upstreams/${upstream.id}`);
    if (flags.json) return printJson({ id: upstream.id, name: upstream.name, removed: true });
    process.stdout.write(`Removed ${upstream.name}.\n`);
  });
}

async function atUpstreams(flags: AdminFlags, work: (at: AtOwnProject) => Promise<void>): Promise<void> {
  const { openToUpstreams } = await import('@permitry/server/operator');
  await atProject(flags, work, ({ allowPrivateTargets }) =>
    openToUpstreams(allowPrivateTargets, (line) => process.stderr.write(`${sayVisibly(line)}\n`)),
  );
}

async function atUpstream(
  idOrName: string,
  flags: AdminFlags,
  work: (at: At) => Promise<void>,
): Promise<void> {
  await atUpstreams(flags, async (at) => {
    const upstreams = await at.list<Upstream>('/upstreams');
    const upstream = upstreams.find(({ id, name }) => id === idOrName || name === idOrName);
    if (!upstream) {
      const names = upstreams.map(({ name }) => name).join(', ') || 'none';
      throw refused(`There is no MCP server "${idOrName}" in this project. It has: ${names}.`, 'not_found');
    }
    await work({ at, upstream });
  });
}

function poll({ ask }: AtOwnProject, id: string): Promise<Upstream> {
  return ask('POST', `/upstreams/${id}/refresh`);
}

async function toolsOf({ at, upstream }: At): Promise<UpstreamTool[]> {
  const { data } = await at.ask<{ data: UpstreamTool[] }>('GET', `/upstreams/${upstream.id}/tools`);
  return data;
}

async function approveAll(
  { at, upstream }: At,
  meant: readonly UpstreamTool[],
  risk?: RiskTier | 'server',
): Promise<readonly UpstreamTool[]> {
  if (meant.length === 0) return [];
  const tools = meant.map(({ name, found }) => ({
    name,
    // The hash of what was shown: the gate refuses a tool that has changed since.
    hash: found?.hash ?? '',
    risk_tier: risk === 'server' ? null : risk,
  }));
  const path = `/upstreams/${upstream.id}/tools/approve`;
  const { data } = await at.ask<{ data: UpstreamTool[] }>('POST', path, { body: { tools } });
  return data;
}

function isWaiting({ state, found, obstacle }: UpstreamTool): boolean {
  return (state === 'new' || state === 'changed') && found !== null && obstacle === null;
}

async function toJson(at: At): Promise<object> {
  return { ...at.upstream, tools: await toolsOf(at) };
}
