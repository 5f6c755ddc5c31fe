import type { Command } from 'commander';
import type { WrapFlags } from '../actions/mcp-wrap.ts';
import { examples, urlOption } from '../command-options.ts';

export function addMcpCommands(program: Command): void {
  const mcp = program
    .command('mcp')
    .summary('put MCP servers behind the gate')
    .description('Puts MCP servers behind the gate.')
    .addHelpText('after', examples('permitry mcp wrap --name files -- npx -y some-mcp-server /srv/files'));

  mcp
    .command('wrap')
    .summary('start a stdio server whose tools are called only with approval')
    .description(
      'An MCP server on stdin and stdout that starts another one and passes everything through, save calls of tools: each goes through the gate first. Set PERMITRY_URL and PERMITRY_KEY (an agent key); neither reaches the server. Put it into an MCP client’s configuration in place of the server’s own command.',
    )
    .argument('<command...>', 'the server, after --')
    .addOption(urlOption())
    .option('--name <name>', 'what approvers read as the server, and the stem of actions', 'mcp')
    .option('--action-prefix <prefix>', 'stands before the tool in the action; NAME. when left out')
    .addHelpText('after', examples('permitry mcp wrap --name files -- npx -y some-mcp-server /srv/files'))
    .action(async (command: string[], flags: WrapFlags) =>
      (await import('../actions/mcp-wrap.ts')).wrap(command, flags),
    );
}
