import { type Command, Option } from 'commander';
import type { HookFlags } from '../actions/hook-claude-code.ts';
import { examples, urlOption } from '../command-options.ts';
import { parseDuration } from '../input/parse-duration.ts';

/** Claude Code ends a hook after ten minutes, and runs the tool then. */
const LONGEST_WAIT_SECONDS = 24 * 3600;
const USUAL_WAIT_SECONDS = 540;

export function addHookCommands(program: Command): void {
  const hook = program
    .command('hook')
    .summary('decide about the tools of coding agents')
    .description('Puts the tools of coding agents behind the gate.')
    .addHelpText('after', examples('permitry hook claude-code'));

  hook
    .command('claude-code')
    .summary('a hook of Claude Code: PreToolUse, PostToolUse')
    .description(
      'Reads a hook’s JSON on stdin and answers Claude Code. Before a tool: asks the gate whether it may run with exactly this input, waits for the decision, uses the permit, and allows or denies, with the reason. After it: reports the outcome. Whatever goes wrong denies. Set PERMITRY_URL and PERMITRY_KEY (an agent key). In settings.json give the hook "onFailure": "block" and a "timeout" above --wait.',
    )
    .addOption(urlOption())
    .option(
      '--wait <time>',
      'for a decision; then it is denied for now',
      parseDuration(0, LONGEST_WAIT_SECONDS),
      USUAL_WAIT_SECONDS,
    )
    .option('--action-prefix <prefix>', 'stands before the tool in the action', 'claude-code.')
    .addOption(
      new Option('--then <what>', 'once approved: allow; or ask you as well')
        .choices(['allow', 'ask'])
        .default('allow'),
    )
    .addHelpText(
      'after',
      examples('permitry hook claude-code', 'permitry hook claude-code --wait 2m --then ask'),
    )
    .action(async (flags: HookFlags) =>
      (await import('../actions/hook-claude-code.ts')).hookClaudeCode(flags),
    );
}
