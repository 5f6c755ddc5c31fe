import { Argument, type Command } from 'commander';
import { examples, jsonOption } from '../command-options.ts';
import type { Shell } from '../completion/shells.ts';

export function addCompletionCommand(program: Command): void {
  program
    .command('completion')
    .summary('print a completion script for a shell')
    .description('Print a script that completes permitry commands in your shell.')
    .addArgument(new Argument('<shell>').choices(['bash', 'zsh', 'fish']))
    .addOption(jsonOption())
    .addHelpText(
      'after',
      examples('permitry completion fish | source', 'permitry completion bash > ~/.permitry.bash'),
    )
    .action(async (shell: Shell, { json }: { json?: true }) => {
      const { toCommandTree } = await import('../completion/command-tree.ts');
      const { SHELLS } = await import('../completion/shells.ts');
      const script = SHELLS[shell](toCommandTree(program));
      process.stdout.write(json ? `${JSON.stringify({ shell, script })}\n` : script);
    });
}
