import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { addAgentCommands } from './commands/agent.ts';
import { addAuditCommands } from './commands/audit.ts';
import { addBackupCommands } from './commands/backup.ts';
import { addCompletionCommand } from './commands/completion.ts';
import { addDeclareRestoredCommand } from './commands/declare-restored.ts';
import { addDeviceCommands } from './commands/device.ts';
import { addEraseCommand } from './commands/erase.ts';
import { addGroupCommands } from './commands/group.ts';
import { addHookCommands } from './commands/hook.ts';
import { addInboxCommands } from './commands/inbox.ts';
import { addInitCommand } from './commands/init.ts';
import { addKeysCommands } from './commands/keys.ts';
import { addMcpCommands } from './commands/mcp.ts';
import { addMemberCommands } from './commands/member.ts';
import { addMigrateCommand } from './commands/migrate.ts';
import { addMoveCommand } from './commands/move.ts';
import { addPolicyCommands } from './commands/policy.ts';
import { addProjectCommands } from './commands/project.ts';
import { addReceiptCommands } from './commands/receipt.ts';
import { addRequestCommands } from './commands/request.ts';
import { addRestoreCommand } from './commands/restore.ts';
import { addServeCommand } from './commands/serve.ts';
import { addSetUpCommand } from './commands/set-up.ts';
import { addSignInCommands } from './commands/sign-in.ts';
import { addSigningKeysCommands } from './commands/signing-keys.ts';
import { addUpstreamCommands } from './commands/upstream.ts';
import { addVerifyCommand } from './commands/verify.ts';
import { addWebhookCommands } from './commands/webhook.ts';
import { withNearSuggestions } from './near-suggestions.ts';

const AFTER_HELP = `
Example:
  $ permitry serve              start a gate with its data in ./permitry-data

Exit codes: 0 done; 1 refused or invalid; 2 the command line, a setting or a
file cannot be used as given. Settings can also be PERMITRY_* variables; flags
take precedence. permitry <command> --help shows flags and an example.
`;

/**
 * The command line with all its commands. Throws instead of ending the process. With `json`, it prints no usage errors:
 * the caller answers in JSON.
 */
export function createProgram({ json = false } = {}): Command {
  const program = new Command('permitry')
    .usage('<command> [flags]')
    .description('A self-hosted approval gate for software agents.')
    .version(readVersion(), '-V, --version', 'print the version')
    .helpOption('-h, --help', 'show help')
    .helpCommand('help [command]', 'show help for a command')
    .addHelpText('after', AFTER_HELP)
    // A flag belongs to the command that it follows, if a command has subcommands (backup, backup verify).
    .enablePositionalOptions()
    // Flags of subcommands appear on their own help pages.
    .configureHelp({ subcommandTerm: (command) => command.name() })
    .exitOverride();
  program.configureOutput(
    json
      ? { writeErr: () => undefined, outputError: () => undefined }
      : { outputError: (message, write) => write(withNearSuggestions(message)) },
  );
  const forPeople = [addSignInCommands, addInboxCommands, addDeviceCommands];
  const forAgents = [addRequestCommands, addVerifyCommand, addMcpCommands, addHookCommands];
  const forOperators = [
    addServeCommand,
    addInitCommand,
    addSetUpCommand,
    addProjectCommands,
    addAgentCommands,
    addKeysCommands,
    addMemberCommands,
    addGroupCommands,
    addPolicyCommands,
    addUpstreamCommands,
    addWebhookCommands,
    addAuditCommands,
    addReceiptCommands,
    addEraseCommand,
    addBackupCommands,
    addRestoreCommand,
    addMigrateCommand,
    addMoveCommand,
    addDeclareRestoredCommand,
    addSigningKeysCommands,
  ];
  const groups = { People: forPeople, 'Agents, executors, CI': forAgents, Operators: forOperators };
  for (const [group, adders] of Object.entries(groups)) {
    program.commandsGroup(`${group}:`);
    for (const add of adders) add(program);
  }
  program.commandsGroup('Shells:');
  addCompletionCommand(program);
  return program;
}

function readVersion(): string {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}
