import { type Command, Option } from 'commander';
import type { AddFlags, ApproveFlags } from '../actions/upstream.ts';
import { type AdminFlags, adminCommand, examples } from '../command-options.ts';
import { wholeNumber } from '../input/whole-number.ts';

const actions = () => import('../actions/upstream.ts');

function collect(value: string, before: string[] = []): string[] {
  return [...before, value];
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
    .action(async (name: string, command: string[], flags: AddFlags) =>
      (await actions()).add(name, command, flags),
    );

  adminCommand(upstream, 'list', 'list the servers of a project')
    .addHelpText('after', examples('permitry upstream list'))
    .action(async (flags: AdminFlags) => (await actions()).list(flags));

  adminCommand(upstream, 'show', 'show how a server is reached; never values of headers or variables')
    .argument('<name|id>')
    .addHelpText('after', examples('permitry upstream show notes'))
    .action(async (name: string, flags: AdminFlags) => (await actions()).show(name, flags));

  adminCommand(upstream, 'tools', 'list the tools of a server, and what became of each')
    .argument('<name|id>')
    .addHelpText('after', examples('permitry upstream tools notes'))
    .action(async (name: string, flags: AdminFlags) => (await actions()).tools(name, flags));

  adminCommand(upstream, 'refresh', 'ask a server for its tools now')
    .argument('<name|id>')
    .addHelpText('after', examples('permitry upstream refresh notes'))
    .action(async (name: string, flags: AdminFlags) => (await actions()).refresh(name, flags));

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
    .action(async (name: string, tools: string[], flags: ApproveFlags) =>
      (await actions()).approve(name, tools, flags),
    );

  adminCommand(upstream, 'withdraw', 'offer tools no more')
    .argument('<name|id>')
    .argument('<tools...>')
    .addHelpText('after', examples('permitry upstream withdraw notes delete_note'))
    .action(async (name: string, tools: string[], flags: AdminFlags) =>
      (await actions()).withdraw(name, tools, flags),
    );

  adminCommand(upstream, 'remove', 'remove a server, and what was approved of its tools')
    .argument('<name|id>')
    .addHelpText('after', examples('permitry upstream remove notes'))
    .action(async (name: string, flags: AdminFlags) => (await actions()).remove(name, flags));
}
