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
    .summary('MCP servers of others, whose tools stand behind the gate')
    .description('MCP servers of others, whose tools stand behind the gate.')
    .addHelpText('after', examples('permitry upstream add notes -- npx -y some-mcp-server /srv/notes'));

  adminCommand(upstream, 'add', 'put a server behind the gate, and look at its tools')
    .description(
      'Puts a server behind the gate, and shows its tools, to be approved. A command is started by every gate of the database, on its own machine and as its own user: it can read what the gate can read. It finds PATH, HOME, LANG and what --env names in its environment.',
    )
    .argument('<name>', 'its tools are called NAME.TOOL')
    .argument('[command...]', 'the command that speaks MCP over stdio, after --')
    .option('--address <url>', 'instead of a command: where it speaks MCP over Streamable HTTP')
    .option(
      '--header <name=variable>',
      'with --address: send the header with the value of that variable',
      collect,
    )
    .option('--env <name[=value]>', 'a variable for the command; without a value, your own one', collect)
    .option('--cwd <dir>', 'where the command runs; here when left out')
    .addOption(
      new Option('--risk <tier>', 'the least risk of its tools')
        .choices(['low', 'medium', 'high', 'critical'])
        .default('medium'),
    )
    .option('--timeout <seconds>', 'how long one call may take, 10 to 600', wholeNumber(10, 600), 120)
    .option('--yes', 'approve all tools that are found, without being asked')
    .addHelpText(
      'after',
      examples(
        'permitry upstream add notes --env NOTES_TOKEN -- npx -y some-mcp-server',
        'permitry upstream add tickets --address https://tickets.example/mcp \\\n      --header Authorization=TICKETS_AUTH',
      ),
    )
    .action(add);

  adminCommand(upstream, 'list', 'list the servers of a project')
    .addHelpText('after', examples('permitry upstream list'))
    .action(list);

  adminCommand(upstream, 'show', 'show how a server is reached; never values of headers or variables')
    .argument('<name|id>')
    .addHelpText('after', examples('permitry upstream show notes'))
    .action(show);

  adminCommand(upstream, 'tools', 'list the tools of a server, and what became of each')
    .argument('<name|id>')
    .addHelpText('after', examples('permitry upstream tools notes'))
    .action(tools);

  adminCommand(upstream, 'refresh', 'ask a server for its tools now')
    .argument('<name|id>')
    .addHelpText('after', examples('permitry upstream refresh notes'))
    .action(refresh);

  adminCommand(upstream, 'approve', 'show tools as they were found, and offer them exactly so')
    .argument('<name|id>')
    .argument('[tools...]', 'those that wait, when left out')
    .addOption(
      new Option('--risk <tier>', 'the least risk of these tools; "server": as the server’s').choices([
        'low',
        'medium',
        'high',
        'critical',
        'server',
      ]),
    )
    .option('--yes', 'without being asked')
    .addHelpText('after', examples('permitry upstream approve notes read_note'))
    .action(approve);

  adminCommand(upstream, 'withdraw', 'offer tools no more')
    .argument('<name|id>')
    .argument('<tools...>')
    .addHelpText('after', examples('permitry upstream withdraw notes delete_note'))
    .action(withdraw);

  adminCommand(upstream, 'remove', 'remove a server, and what was approved of its tools')
    .argument('<name|id>')
    .addHelpText('after', examples('permitry upstream remove notes'))
    .action(remove);
}

async function add(name: string, command: string[], flags: AddFlags): Promise<void> {
  const settings = await readReached(command, flags);
  await atUpstreams(flags, async (own) => {
    const { addUpstream } = await import('@permitry/server/operator');
    // Calls the operation, because no path registers a command. Only the operator may.
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
        `${name} is registered, and cannot be talked to: ${sayVisibly(at.upstream.error)} Put it right and look again with: permitry upstream refresh ${name}`,
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
        ? `${name} is behind the gate: ${counted(waiting.length, 'tool')} offered.\n`
        : `${name} is registered; none of its tools is offered. Approve them with: permitry upstream approve ${name}\n`,
    );
  });
}

/** Shows what would be approved, and asks at a terminal. Without one, the answer is no. */
async function isApproved(at: At, tools: readonly UpstreamTool[]): Promise<boolean> {
  await showFound(at.upstream, tools);
  if (tools.length === 0 || !process.stdin.isTTY || !process.stderr.isTTY) return false;
  return confirm(`Offer ${counted(tools.length, 'tool')} to the agents of this project, as shown?`, '');
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
      'This project has no upstream servers; put one behind the gate with: permitry upstream add NAME -- COMMAND',
    );
  });
}

async function show(name: string, flags: AdminFlags): Promise<void> {
  await atUpstream(name, flags, async ({ at: { gate, project }, upstream }) => {
    const { getUpstream, openSettings } = await import('@permitry/server/operator');
    // Calls the operation, because no path returns the whole command or address.
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
      ['server', upstream.server ? Object.values(upstream.server).join(' ') : 'never talked to'],
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
        { title: 'STATE', text: ({ state, obstacle }) => (obstacle === null ? state : 'cannot be offered') },
        { title: 'RISK', text: ({ risk_tier }) => risk_tier },
        { title: 'CHANGED', text: ({ changed_at }) => shortTime(changed_at) },
        {
          title: 'HASH',
          text: ({ found: definition, pinned }) => (definition ?? pinned)?.hash.slice(0, 19) ?? '',
        },
        {
          title: 'SAYS',
          text: ({ obstacle, found: definition, pinned }) => obstacle ?? firstLine(definition ?? pinned),
          shrinks: true,
        },
      ],
      'Nothing is known of its tools; look at them with: permitry upstream refresh NAME',
    );
  });
}

async function refresh(name: string, flags: AdminFlags): Promise<void> {
  await atUpstream(name, flags, async (at) => {
    const upstream = await poll(at.at, at.upstream.id);
    const seen = { ...at, upstream };
    if (flags.json) printJson(await toJson(seen));
    if (upstream.error !== null) throw refused(`It cannot be talked to: ${sayVisibly(upstream.error)}`);
    if (flags.json) return;
    const found = await toolsOf(seen);
    const waiting = found.filter(isWaiting);
    await showFound(seen.upstream, waiting);
    showObstacles(seen.upstream, found);
    const offered = found.filter(({ state }) => state === 'approved').length;
    process.stdout.write(
      `${counted(offered, 'tool')} offered, ${waiting.length} to be approved${waiting.length > 0 ? `: permitry upstream approve ${upstream.name}` : ''}.\n`,
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
      process.stdout.write('No tool waits to be approved.\n');
      return;
    }
    // A person who is asked must see it first, whatever the output format.
    if (!flags.json || !flags.yes) await showFound(at.upstream, meant);
    const isMeant =
      flags.yes ||
      (await confirm(
        `Offer ${counted(meant.length, 'tool')} to the agents of this project, as shown?`,
        'Nobody can be asked here whether this is meant: add --yes.',
      ));
    if (!isMeant) throw refused('Nothing was approved.');
    const approved = await approveAll(at, meant, flags.risk);
    if (flags.json) return printJson(approved);
    process.stdout.write(`${counted(approved.length, 'tool')} offered.\n`);
  });
}

async function withdraw(name: string, names: string[], flags: AdminFlags): Promise<void> {
  await atUpstream(name, flags, async ({ at, upstream: { id } }) => {
    await at.ask('POST', `/upstreams/${id}/tools/withdraw`, { body: { tools: names } });
    if (flags.json) return printJson({ upstream_id: id, withdrawn: names });
    process.stdout.write(`${counted(names.length, 'tool')} offered no more.\n`);
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
      throw refused(`There is no upstream server "${idOrName}" here; there is ${names}.`, 'not_found');
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
