import type { ProjectMode } from '@permitry/protocol';
import { type Command, Option } from 'commander';
import { refused } from '../command-failure.ts';
import { databaseOption, dataOption, examples, jsonOption } from '../command-options.ts';
import { showCredentials } from '../first-credentials/show-credentials.ts';
import { FIRST_PROJECT } from '../first-project.ts';
import { flagOfGate, nameOfGate, OPERATOR, withOpenGate } from '../open-gate.ts';
import { printJson } from '../printing/print.ts';
import { readSettings } from '../read-settings.ts';

export function addInitCommand(program: Command): void {
  program
    .command('init')
    .summary('create the first project of a gate')
    .description(
      'Create the first project in an empty data directory or database, and show its keys once. Use it for a gate in live mode; permitry serve creates a first project in test mode by itself.',
    )
    .addOption(dataOption())
    .addOption(databaseOption())
    .addOption(
      new Option(
        '--mode <mode>',
        'test: one key may request and approve; live: people decide; cannot be changed',
      )
        .choices(['test', 'live'])
        .makeOptionMandatory(),
    )
    .option('--project <name>', 'name of the project', FIRST_PROJECT.project)
    .option('--owner <email>', 'email address of its owner', FIRST_PROJECT.owner)
    .addOption(jsonOption())
    .addHelpText(
      'after',
      examples('permitry init --data ./permitry-data --mode live --owner ann@example.org'),
    )
    .action(init);
}

interface InitFlags {
  data?: string;
  database?: string;
  mode: ProjectMode;
  project: string;
  owner: string;
  json?: true;
}

async function init(flags: InitFlags): Promise<void> {
  const config = await readSettings(flags);
  const credentials = await withOpenGate(config, ({ gate }, { GateError, initialiseGate }) =>
    initialiseGate(
      gate,
      { mode: flags.mode, projectName: flags.project, ownerEmail: flags.owner },
      OPERATOR,
    ).catch((error: unknown) => {
      if (!(error instanceof GateError && error.code === 'conflict')) throw error;
      throw refused(
        `${nameOfGate(config)} is already initialised. Start it with permitry serve, or add a project with: permitry project add`,
        'conflict',
        error,
      );
    }),
  );
  if (flags.json) return printJson(credentials);
  process.stdout.write(`${showCredentials(credentials)}
Start the gate:           permitry serve ${flagOfGate(config)}
Get a link to sign in:    permitry set-up ${flagOfGate(config)}
`);
}
