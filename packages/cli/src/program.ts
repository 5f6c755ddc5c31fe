import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { addInitCommand } from './commands/init.ts';
import { addServeCommand } from './commands/serve.ts';

const EXIT_CODES = `
Exit codes: 0 done, 1 refused or invalid, 2 the command line, a setting or a file cannot be used as given.
Every setting of serve is a variable too (PERMITRY_DATA, PERMITRY_PORT, …); flags win.
`;

/** The command line with all its commands; throws instead of ending the process. */
export function createProgram(): Command {
  const program = new Command('permitry')
    .description('An approval gate for what software agents do.')
    .version(readVersion(), '-V, --version')
    .showHelpAfterError('(permitry --help shows every command; permitry <command> --help its flags)')
    .addHelpText('after', EXIT_CODES)
    .configureHelp({ showGlobalOptions: false })
    .exitOverride();
  addServeCommand(program);
  addInitCommand(program);
  return program;
}

function readVersion(): string {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}
