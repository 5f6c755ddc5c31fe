import type { Command } from 'commander';
import { refused, usage } from '../command-failure.ts';
import { examples, urlOption } from '../command-options.ts';
import { passStrictCalls } from '../mcp/strict-calls.ts';
import { openClient } from '../profile/open-client.ts';

export function addMcpCommands(program: Command): void {
  const mcp = program
    .command('mcp')
    .summary('require approval for the tool calls of an MCP client')
    .description('Put MCP servers behind the gate, so that each tool call needs approval.')
    .addHelpText('after', examples('permitry mcp wrap --name files -- npx -y some-mcp-server /srv/files'));

  mcp
    .command('wrap')
    .summary('start an MCP server whose tool calls need approval')
    .description(
      'Start an MCP server (stdio) and pass everything through to it, except tool calls: each of them first needs approval. Put this command into the configuration of an MCP client, in place of the server’s own command. Set PERMITRY_URL and PERMITRY_KEY (an agent key); the server receives neither.',
    )
    .argument('<command...>', 'after --: the command that starts the server')
    .addOption(urlOption())
    .option('--name <name>', 'name of the server, shown to approvers and used in action names', 'mcp')
    .option('--action-prefix <prefix>', 'prefix of the tool name in the action (default: "NAME.")')
    .addHelpText('after', examples('permitry mcp wrap --name files -- npx -y some-mcp-server /srv/files'))
    .action(wrap);
}

interface WrapFlags {
  url?: string;
  name?: string;
  actionPrefix?: string;
}

/** Leaves room for the tool's name within the longest name of an action. */
const PREFIX = /^[A-Za-z0-9][A-Za-z0-9._:/-]{0,63}$/;

/** Serves MCP on stdin and stdout until either side ends. All other output goes to stderr. */
async function wrap([command, ...args]: readonly string[], flags: WrapFlags): Promise<void> {
  const { StdioClientTransport } = await import('@modelcontextprotocol/client/stdio');
  const { StdioServerTransport } = await import('@modelcontextprotocol/server/stdio');
  const { Wrapper } = await import('../mcp/wrapper.ts');
  if (command === undefined) throw usage('Pass the command that starts the server, after --.');
  const name = flags.name ?? 'mcp';
  const actionPrefix = flags.actionPrefix ?? `${name}.`;
  if (!PREFIX.test(actionPrefix)) {
    throw usage(
      `${actionPrefix} cannot be the prefix of an action. Use at most 64 letters, digits and ._:/- and start with a letter or digit.`,
    );
  }
  const gate = await openClient(flags);
  const complain = (error: Error): void => void process.stderr.write(`permitry: ${error.message}\n`);
  const strict = passStrictCalls((refusal) => void client.send(refusal).catch(complain));
  const client = new StdioServerTransport(process.stdin.pipe(strict));
  const server = new StdioClientTransport({
    command,
    args,
    env: environmentWithoutKeys(),
    stderr: 'inherit',
  });
  const onNotOffered = (tool: string, why: string) =>
    complain(new Error(`the tool ${JSON.stringify(tool)} is not offered: ${why}.`));
  const wrapper = new Wrapper(client, server, { gate, name, actionPrefix, onNotOffered });
  const ended = Promise.withResolvers<'client' | 'server'>();
  client.onclose = () => ended.resolve('client');
  server.onclose = () => ended.resolve('server');
  client.onerror = complain;
  server.onerror = complain;
  await server.start();
  await client.start();
  const by = await ended.promise;
  await wrapper.serverEnded();
  await server.close();
  await client.close();
  // The transport releases its own stream, which is not stdin. An open stdin would keep the process alive.
  process.stdin.unpipe(strict).pause();
  if (by === 'server') throw refused(`${command} ended.`);
}

/** The server's own settings come from the client's configuration. The server does not get the gate's key. */
function environmentWithoutKeys(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(process.env).filter(
      (entry): entry is [string, string] => entry[1] !== undefined && !/^PERMITRY_/i.test(entry[0]),
    ),
  );
}
